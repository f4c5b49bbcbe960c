package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directories and log files of servers. */
public final class Directories {
  private static final int TAIL_LINES = 30;

  private Directories() {}

  public static Path create(Path directory) {
    try {
      return Files.createDirectories(directory).toAbsolutePath();
    } catch (IOException e) {
      throw new TestkitException("cannot create directory " + directory + ": " + e, e);
    }
  }

  /** Deletes a tree; what vanishes meanwhile is fine. */
  public static void delete(Path directory) {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure)
                throws IOException {
              if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure)
                throws IOException {
              if (failure != null) {
                throw failure;
              }
              Files.deleteIfExists(dir);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new TestkitException("cannot delete " + directory + ": " + e, e);
    }
  }

  /** The last lines of a log, ready to be appended to a message. */
  public static String tail(Path log) {
    try {
      if (Files.notExists(log)) {
        return "\n(no log at " + log + ")";
      }
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return "\nend of "
          + log
          + ":\n  "
          + String.join(
              "\n  ", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "\n(log " + log + " cannot be read: " + e + ")";
    }
  }
}
