package dev.onceward.it.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.examples.Demo;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a run of the demo showed at the console.
 *
 * @param exit the exit code
 * @param out the lines on standard output
 * @param err the lines on standard error
 * @param took how long it ran
 */
record Console(int exit, List<String> out, List<String> err, Duration took) {

  private static final long PATIENCE_SECONDS = 170;

  /** Runs the demo in this JVM. */
  static Console inProcess(List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    long begin = System.nanoTime();
    int exit =
        Demo.commandLine(Path.of("the.log"))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments.toArray(String[]::new));
    return new Console(
        exit,
        out.toString().lines().toList(),
        err.toString().lines().toList(),
        Duration.ofNanos(System.nanoTime() - begin));
  }

  /**
   * Runs the demo in a JVM of its own, as {@code ./demo} does.
   *
   * @param directory for its temporary files
   */
  static Console ofProcess(Path directory, List<String> arguments)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, "out", ".txt");
    Path err = Files.createTempFile(directory, "err", ".txt");
    long begin = System.nanoTime();
    Process process = start(directory, arguments, out, err);
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(
          "the demo does not end: " + Files.readString(out) + Files.readString(err));
    }
    return new Console(
        process.exitValue(),
        Files.readAllLines(out, UTF_8),
        Files.readAllLines(err, UTF_8),
        Duration.ofNanos(System.nanoTime() - begin));
  }

  /**
   * Starts the demo in a JVM of its own.
   *
   * @param directory for its temporary files
   */
  static Process start(Path directory, List<String> arguments, Path out, Path err)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.io.tmpdir=" + directory);
    // off in this JVM, where it would go to the console
    command.add("-Dorg.slf4j.simpleLogger.log.dev.onceward.examples=info");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Demo.class.getName());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    // a tool's options would be told on standard error by the JVM itself
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
  }
}
