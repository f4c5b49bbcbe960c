package dev.onceward.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * Where log lines go: to a file, so that the console belongs to the demo. Only a file whose name
 * the user was told is worth keeping. Thread-safe.
 */
public final class Logs {

  private static final String LOG_FILE = "org.slf4j.simpleLogger.logFile";

  private final Path file;
  private final AtomicBoolean told = new AtomicBoolean();

  private Logs(Path file) {
    this.file = file;
  }

  /** Sends the log of this JVM to a new file. To be called before anything logs. */
  static Logs toNewFile() throws IOException {
    Path file = Files.createTempFile("onceward-demo-", ".log");
    System.setProperty(LOG_FILE, file.toString());
    return in(file);
  }

  /** The log in a file that there may be. */
  static Logs in(Path file) {
    return new Logs(file);
  }

  /** The file that this JVM logs to. */
  public static Path file() {
    return Path.of(System.getProperty(LOG_FILE, "onceward-demo.log"));
  }

  /** The file, to be named to the user, so that it is kept; empty when nothing was logged. */
  Optional<Path> tell() {
    if (!isWritten()) {
      return Optional.empty();
    }
    told.set(true);
    return Optional.of(file);
  }

  private boolean isWritten() {
    try {
      return Files.exists(file) && Files.size(file) > 0;
    } catch (IOException e) {
      LoggerFactory.getLogger(Logs.class).warn("cannot look at {}", file, e);
      return false;
    }
  }

  /** Deletes the file unless the user was told its name. */
  void discardUnlessTold() {
    if (!told.get()) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LoggerFactory.getLogger(Logs.class).warn("cannot delete {}", file, e);
      }
    }
  }
}
