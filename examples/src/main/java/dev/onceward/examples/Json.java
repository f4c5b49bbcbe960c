package dev.onceward.examples;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;

/** Writes figures for programs to read. */
public final class Json {

  private Json() {}

  /** Writes a record as an object with a field for each of its components. */
  public static void write(Path file, Record figures) {
    try {
      new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(file.toFile(), figures);
    } catch (IOException e) {
      throw new DemoFailure(
          "--json: " + file + " can not be written: " + String.valueOf(e.getMessage()), e);
    }
  }
}
