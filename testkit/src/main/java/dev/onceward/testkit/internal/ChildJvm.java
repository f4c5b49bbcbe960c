package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import dev.onceward.testkit.internal.log.BrokerLogProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command that runs {@link BrokerMain} in a JVM of its own. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Starts a broker on {@code home}; it ends when the process's standard input is closed. */
  public static Process start(BrokerHome home) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    try {
      // A class path can exceed what a command line may hold.
      Path arguments = home.directory().resolve("java.args");
      Files.writeString(
          arguments,
          arguments(home).stream().map(ChildJvm::quote).collect(Collectors.joining("\n")));
      return Processes.logged(List.of(java.toString(), "@" + arguments), home.log())
          .directory(home.directory().toFile())
          .start();
    } catch (IOException e) {
      throw new TestkitException("cannot start a JVM with " + java + ": " + e.getMessage(), e);
    }
  }

  private static List<String> arguments(BrokerHome home) {
    return Stream.of(
            "-Xmx" + home.settings().heapMegabytes() + "m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dslf4j.provider=" + BrokerLogProvider.class.getName(),
            "-D" + BrokerLogProvider.LEVEL_PROPERTY + "=" + logLevel(),
            "-cp",
            classPath(),
            BrokerMain.class.getName(),
            home.config().toString())
        .toList();
  }

  private static String logLevel() {
    return System.getProperty(BrokerLogProvider.LEVEL_PROPERTY, "WARN");
  }

  /**
   * This JVM's class path, absolute as the child has another working directory. Under Surefire and
   * Failsafe {@code java.class.path} is only a launcher's jar.
   */
  private static String classPath() {
    String own =
        Optional.ofNullable(System.getProperty("surefire.test.class.path"))
            .orElseGet(() -> System.getProperty("java.class.path"));
    return Stream.of(own.split(Pattern.quote(File.pathSeparator)))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String quote(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
