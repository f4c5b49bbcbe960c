package dev.onceward.it.scene;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** A program such as {@link LedgerApp} that a test has started, and ends at the latest with it. */
public final class ChildApp implements AutoCloseable {

  private static final long LONGEST_SECONDS = 90;

  private final Process process;
  private final Path log;

  private ChildApp(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts a {@link LedgerApp}. */
  public static ChildApp start(Properties configuration) {
    return start(LedgerApp.class, configuration);
  }

  /** Starts a program that reads its configuration, as properties, from standard input. */
  public static ChildApp start(Class<?> program, Properties configuration) {
    return start(
        program, configuration, List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
  }

  /** Starts a program with these options of the JVM. */
  public static ChildApp start(
      Class<?> program, Properties configuration, List<String> jvmOptions) {
    try {
      Path log = Files.createTempFile("child-app-", ".log");
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmOptions);
      // as in a container: an application that is out of memory ends
      command.add("-XX:+ExitOnOutOfMemoryError");
      command.add(program.getName());
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("CLASSPATH", classPath());
      Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
      try (OutputStream in = process.getOutputStream()) {
        configuration.store(in, null);
      }
      return new ChildApp(process, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The class path of the test, which a program gets unless its options say another. */
  public static String classPath() {
    // under Failsafe java.class.path is only a launcher's jar
    return Optional.ofNullable(System.getProperty("surefire.test.class.path"))
        .orElseGet(() -> System.getProperty("java.class.path"));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Sends a signal such as {@code STOP}, {@code CONT} or {@code TERM}. */
  public void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
            .inheritIO()
            .start()
            .waitFor();
    if (status != 0) {
      throw new AssertionError("kill -" + name + " ended with " + status);
    }
  }

  /** Waits for the end and returns the exit code. */
  public int awaitExit() throws InterruptedException {
    if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the application does not end:\n" + log());
    }
    return process.exitValue();
  }

  /** What it has written, standard output and error. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
