package dev.onceward.examples.orders;

import dev.onceward.examples.Database;
import dev.onceward.examples.DemoFailure;
import dev.onceward.examples.Logs;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The application in a process of its own, so that it can be killed. */
final class AppProcess {

  private static final long STOP_SECONDS = 20;

  private final Process process;

  private AppProcess(Process process) {
    this.process = process;
  }

  /** Starts the application; its log goes to that of the demo. */
  static AppProcess start(Map<String, Object> kafkaProperties, Database database) {
    Properties configuration = new Properties();
    kafkaProperties.forEach((name, value) -> configuration.put("kafka." + name, value.toString()));
    configuration.put("database.url", database.url());
    configuration.put("database.user", database.user());
    configuration.put("database.password", database.password());
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                OrdersApp.class.getName()));
    builder.redirectErrorStream(true).redirectOutput(Redirect.appendTo(Logs.file().toFile()));
    try {
      Process process = builder.start();
      // secrets go by standard input, which no list of processes shows
      try (OutputStream in = process.getOutputStream()) {
        configuration.store(in, null);
      }
      return new AppProcess(process);
    } catch (IOException e) {
      throw new DemoFailure("could not start the application: " + e.getMessage(), e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Ends the process at once, as kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends the process gracefully, as SIGTERM does; false when it had to be killed. */
  boolean stop() throws InterruptedException {
    process.destroy();
    if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      return true;
    }
    kill();
    return false;
  }
}
