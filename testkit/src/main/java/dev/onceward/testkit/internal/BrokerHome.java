package dev.onceward.testkit.internal;

import dev.onceward.testkit.KafkaSettings;
import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The directory, ports and configuration of a broker on this machine. */
public final class BrokerHome {
  private final KafkaSettings settings;
  private final Path directory;
  private final @Nullable TemporaryDirectory temporary;
  private final BrokerPorts ports;

  private BrokerHome(
      KafkaSettings settings, Path directory, @Nullable TemporaryDirectory temporary) {
    this.settings = settings;
    this.directory = directory;
    this.temporary = temporary;
    this.ports = BrokerPorts.of(directory);
  }

  /**
   * Prepares the directory and writes the broker's configuration.
   *
   * @param more broker properties of the kind of broker, under those of the settings
   */
  public static BrokerHome prepare(KafkaSettings settings, Map<String, String> more) {
    TemporaryDirectory temporary =
        settings.directory().isPresent() ? null : TemporaryDirectory.create("onceward-kafka-");
    Path directory =
        temporary == null
            ? Directories.create(settings.directory().orElseThrow())
            : temporary.path();
    if (directory.toString().contains(",")) {
      throw new IllegalArgumentException(
          "directory '" + directory + "': Kafka takes no directory with a comma");
    }
    BrokerHome home = new BrokerHome(settings, directory, temporary);
    home.writeConfig(more);
    return home;
  }

  public KafkaSettings settings() {
    return settings;
  }

  public Path directory() {
    return directory;
  }

  public Path config() {
    return directory.resolve("server.properties");
  }

  public Path log() {
    return directory.resolve("broker.log");
  }

  /** Written by a broker in its own process once it serves. */
  public Path readyMark() {
    return readyMark(config());
  }

  static Path readyMark(Path config) {
    return config.resolveSibling("ready");
  }

  public BrokerPorts ports() {
    return ports;
  }

  public String bootstrapServers() {
    return "127.0.0.1:" + settings.advertisedPort().orElse(ports.client());
  }

  public Map<String, Object> clientProperties() {
    return ClientProperties.of(bootstrapServers(), settings.saslUser());
  }

  /** An admin client's way in, past authentication and proxies. */
  public TopicAdmin topicAdmin() {
    return new TopicAdmin(ClientProperties.of("127.0.0.1:" + ports.internal(), Optional.empty()));
  }

  /** Deletes the directory unless the user gave it. */
  public void discard() {
    if (temporary != null) {
      temporary.close();
    }
  }

  private void writeConfig(Map<String, String> more) {
    Properties properties = new Properties();
    properties.putAll(BrokerDefaults.properties());
    properties.putAll(more);
    properties.setProperty("process.roles", "broker,controller");
    properties.setProperty("node.id", "1");
    properties.setProperty("log.dirs", directory.resolve("data").toString());
    properties.setProperty("controller.listener.names", "CONTROLLER");
    properties.setProperty("inter.broker.listener.name", "INTERNAL");
    properties.setProperty(
        "controller.quorum.bootstrap.servers", "127.0.0.1:" + ports.controller());
    properties.setProperty("listeners", listeners(ports.client()));
    properties.setProperty(
        "advertised.listeners", listeners(settings.advertisedPort().orElse(ports.client())));
    properties.setProperty(
        "listener.security.protocol.map",
        "CLIENT:%s,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"
            .formatted(settings.saslUser().isPresent() ? "SASL_PLAINTEXT" : "PLAINTEXT"));
    settings
        .saslUser()
        .ifPresent(
            user -> {
              properties.setProperty("listener.name.client.sasl.enabled.mechanisms", "PLAIN");
              properties.setProperty(
                  "listener.name.client.plain.sasl.jaas.config", ClientProperties.brokerJaas(user));
            });
    properties.putAll(settings.brokerProperties());
    try {
      Files.deleteIfExists(config());
      createPrivate(config());
      try (Writer writer = Files.newBufferedWriter(config())) {
        properties.store(writer, null);
      }
    } catch (IOException e) {
      throw new TestkitException("cannot write " + config() + ": " + e, e);
    }
  }

  private String listeners(int clientPort) {
    return "CLIENT://127.0.0.1:%d,INTERNAL://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
        .formatted(clientPort, ports.internal(), ports.controller());
  }

  /** The file may hold a password. */
  private static void createPrivate(Path file) throws IOException {
    if (Processes.onWindows()) {
      Files.createFile(file);
    } else {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
  }
}
