package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** Kafka's own server class in this JVM, on a directory that only it uses. */
public final class Broker implements AutoCloseable {
  private final DirectoryLock lock;
  private final KafkaRaftServer server;

  private Broker(DirectoryLock lock, KafkaRaftServer server) {
    this.lock = lock;
    this.server = server;
  }

  /**
   * Formats the data directory when it is new, starts the broker and returns when it serves.
   *
   * @param patience how long to wait for another broker to leave the directory
   */
  public static Broker start(Path config, Duration patience) {
    Path directory = config.toAbsolutePath().getParent();
    if (directory == null) {
      throw new TestkitException("no directory in path " + config);
    }
    DirectoryLock lock = DirectoryLock.acquire(directory, patience);
    try {
      silenceMissingLog4j();
      Properties properties = load(config);
      format(config, Path.of(properties.getProperty("log.dirs")));
      KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
      try {
        server.startup();
      } catch (RuntimeException | Error e) {
        server.shutdown();
        server.awaitShutdown();
        throw e;
      }
      return new Broker(lock, server);
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  /**
   * A class of the broker links to log4j-api although it logs through slf4j; where log4j has no
   * implementation it would say so on the console.
   */
  private static void silenceMissingLog4j() {
    boolean implemented =
        exists("org.apache.logging.log4j.core.LoggerContext")
            || exists("org.apache.logging.slf4j.SLF4JProvider");
    String level = "log4j2.statusLoggerLevel";
    if (!implemented && System.getProperty(level) == null) {
      System.setProperty(level, "OFF");
    }
  }

  private static boolean exists(String className) {
    return Broker.class.getClassLoader().getResource(className.replace('.', '/') + ".class")
        != null;
  }

  private static Properties load(Path config) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(config)) {
      properties.load(reader);
      return properties;
    } catch (IOException e) {
      throw new TestkitException("cannot read " + config + ": " + e, e);
    }
  }

  private static void format(Path config, Path data) {
    if (Files.exists(data.resolve("meta.properties"))) {
      return;
    }
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    int code =
        StorageTool.execute(
            new String[] {
              "format",
              "--config",
              config.toString(),
              "--cluster-id",
              Uuid.randomUuid().toString(),
              "--standalone"
            },
            new PrintStream(output, true, StandardCharsets.UTF_8));
    if (code != 0) {
      throw new TestkitException(
          "cannot format the broker's directory %s: %s"
              .formatted(data, output.toString(StandardCharsets.UTF_8).strip()));
    }
  }

  /** Returns once the broker has ended, for whatever reason. */
  public void awaitEnd() {
    server.awaitShutdown();
  }

  @Override
  public void close() {
    try {
      server.shutdown();
      server.awaitShutdown();
    } finally {
      lock.close();
    }
  }
}
