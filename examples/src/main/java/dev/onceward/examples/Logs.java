package dev.onceward.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where log lines go: to a file, so that the console belongs to the demo. */
public final class Logs {

  private static final String LOG_FILE = "org.slf4j.simpleLogger.logFile";

  private Logs() {}

  /** Sends the log of this JVM to a new file. To be called before anything logs. */
  public static Path toFile() throws IOException {
    Path file = Files.createTempFile("onceward-demo-", ".log");
    System.setProperty(LOG_FILE, file.toString());
    return file;
  }

  /** The file that this JVM logs to. */
  public static Path file() {
    return Path.of(System.getProperty(LOG_FILE, "onceward-demo.log"));
  }
}
