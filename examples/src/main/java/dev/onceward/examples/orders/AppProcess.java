package dev.onceward.examples.orders;

import dev.onceward.examples.Database;
import dev.onceward.examples.DemoFailure;
import dev.onceward.examples.Logs;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** The application in a process of its own, so that it can be killed. */
final class AppProcess {

  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final Thread killOnExit;

  private AppProcess(Process process) {
    this.process = process;
    // on Ctrl-C there is nobody to wait for it; its own watch is for kill -9 of this JVM
    this.killOnExit = new Thread(process::destroyForcibly, "kill-application");
    Runtime.getRuntime().addShutdownHook(killOnExit);
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
      AppProcess app = new AppProcess(builder.start());
      app.configure(configuration);
      return app;
    } catch (IOException e) {
      throw new DemoFailure("could not start the application: " + e.getMessage(), e, true);
    }
  }

  /**
   * Secrets go by standard input, which no list of processes shows. It stays open: the application
   * ends with it.
   */
  private void configure(Properties configuration) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    configuration.store(bytes, null);
    DataOutputStream in = new DataOutputStream(process.getOutputStream());
    in.writeInt(bytes.size());
    bytes.writeTo(in);
    in.flush();
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
    ended();
  }

  /** Ends the process gracefully, as SIGTERM does; false when it had to be killed. */
  boolean stop() throws InterruptedException {
    // the handle's, as that of the process closes the standard input too
    process.toHandle().destroy();
    if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      ended();
      return true;
    }
    kill();
    return false;
  }

  private void ended() {
    try {
      Runtime.getRuntime().removeShutdownHook(killOnExit);
    } catch (IllegalStateException e) {
      LoggerFactory.getLogger(AppProcess.class).debug("the hook stays, it runs", e);
    }
  }
}
