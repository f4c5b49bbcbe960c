package dev.onceward.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs a main class of the tests in a JVM of its own, as a user's program would run. */
final class JavaProgram {
  private JavaProgram() {}

  static Process start(Class<?> main, Path output, String... arguments) throws IOException {
    return start(List.of(), main, output, arguments);
  }

  static Process start(List<String> jvmOptions, Class<?> main, Path output, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            Optional.ofNullable(System.getProperty("surefire.test.class.path"))
                .orElseGet(() -> System.getProperty("java.class.path")),
            main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }
}
