package dev.onceward.examples;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes figures for programs to read. */
public final class Json {

  private Json() {}

  /**
   * Refuses, before any work, a file that cannot be written after it. Leaves it as it is.
   *
   * @param file null for none
   * @throws DemoFailure if it is a directory, is not writable or has no directory
   */
  public static void check(@Nullable Path file) {
    if (file == null) {
      return;
    }
    Path directory = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new DemoFailure("--json: " + file + " is a directory; name a file");
    }
    if (Files.exists(file)) {
      if (!Files.isWritable(file)) {
        throw new DemoFailure("--json: " + file + " cannot be written; name another file");
      }
    } else if (directory == null || !Files.isDirectory(directory)) {
      throw new DemoFailure(
          "--json: there is no directory " + directory + "; create it or name another file");
    } else if (!Files.isWritable(directory)) {
      throw new DemoFailure(
          "--json: no file can be created in directory " + directory + "; name another file");
    }
  }

  /** Writes a record as an object with a field for each of its components, and a line end. */
  public static void write(Path file, Record figures) {
    try {
      Files.writeString(
          file,
          new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(figures) + "\n");
    } catch (IOException e) {
      throw new DemoFailure(
          "--json: " + file + " cannot be written: " + String.valueOf(e.getMessage()), e);
    }
  }
}
