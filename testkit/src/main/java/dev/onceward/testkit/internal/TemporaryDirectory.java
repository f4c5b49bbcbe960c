package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary directory that this JVM holds by a lock on a file in it. The lock ends with the JVM
 * however that ends, so that the next JVM can tell what a killed one has left, and removes it.
 */
public final class TemporaryDirectory implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TemporaryDirectory.class);
  private static final String HELD = "held";

  private final Path path;
  private final FileChannel lock;

  private TemporaryDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Creates a directory among the temporary files of this machine.
   *
   * @throws TestkitException when it cannot be created
   */
  public static TemporaryDirectory create(String prefix) {
    return create(Path.of(System.getProperty("java.io.tmpdir")), prefix);
  }

  /** Creates a directory, after removing those of that prefix whose JVM is gone. */
  public static TemporaryDirectory create(Path parent, String prefix) {
    removeStale(parent, prefix);
    try {
      // The id: a JVM must never open the lock file of its own directories a second time, as
      // closing it would end the lock.
      Path path = Files.createTempDirectory(parent, prefix + ownId());
      return new TemporaryDirectory(path, hold(path));
    } catch (IOException e) {
      throw new TestkitException(
          "cannot create a directory in %s (-Djava.io.tmpdir): %s"
              .formatted(parent, e.getMessage()),
          e);
    }
  }

  /** The name appears when the lock is there, so that nobody else can get the lock. */
  private static FileChannel hold(Path path) throws IOException {
    Path unnamed = path.resolve(HELD + ".new");
    FileChannel channel =
        FileChannel.open(unnamed, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      channel.lock();
      Files.move(unnamed, path.resolve(HELD), StandardCopyOption.ATOMIC_MOVE);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static String ownId() {
    return ProcessHandle.current().pid() + "-";
  }

  private static void removeStale(Path parent, String prefix) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, prefix + "*")) {
      for (Path directory : found) {
        if (!directory.getFileName().toString().startsWith(prefix + ownId())) {
          removeIfStale(directory);
        }
      }
    } catch (IOException e) {
      log.debug("cannot look for old directories in {}", parent, e);
    }
  }

  private static void removeIfStale(Path directory) {
    try {
      // A link, or the directory of another user, may lead anywhere.
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
          || !PostgresUser.isOurs(directory)) {
        return;
      }
      if (isFree(directory.resolve(HELD))) {
        Directories.delete(directory);
      }
    } catch (NoSuchFileException e) {
      log.trace("{} is none that a JVM holds", directory, e);
    } catch (IOException | OverlappingFileLockException | TestkitException e) {
      log.debug("{} stays", directory, e);
    }
  }

  /** Nobody takes it once it is free, so there is no need to keep the lock. */
  private static boolean isFree(Path held) throws IOException {
    try (FileChannel channel =
            FileChannel.open(held, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock()) {
      return lock != null;
    }
  }

  public Path path() {
    return path;
  }

  /** Deletes the directory; should another JVM now think that it is left, it does the same. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new TestkitException("cannot unlock " + path + ": " + e, e);
    }
    Directories.delete(path);
  }
}
