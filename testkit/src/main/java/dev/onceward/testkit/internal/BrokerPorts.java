package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * The ports of one broker.
 *
 * @param client for users' clients
 * @param internal for the broker itself and the testkit's own admin client: never secured, never
 *     behind a proxy
 * @param controller for the KRaft controller
 */
public record BrokerPorts(int client, int internal, int controller) {

  /**
   * The ports that {@code directory} remembers, or new ones that it remembers from now on: the
   * broker's metadata log names its controller by port, so they belong to the data.
   */
  static BrokerPorts of(Path directory) {
    Path file = directory.resolve("ports.properties");
    Properties properties = new Properties();
    try {
      if (Files.exists(file)) {
        try (Reader reader = Files.newBufferedReader(file)) {
          properties.load(reader);
        }
        return new BrokerPorts(
            port(properties, "client", file),
            port(properties, "internal", file),
            port(properties, "controller", file));
      }
      BrokerPorts ports = new BrokerPorts(Ports.free(), Ports.free(), Ports.free());
      properties.setProperty("client", Integer.toString(ports.client));
      properties.setProperty("internal", Integer.toString(ports.internal));
      properties.setProperty("controller", Integer.toString(ports.controller));
      try (Writer writer = Files.newBufferedWriter(file)) {
        properties.store(writer, null);
      }
      return ports;
    } catch (IOException e) {
      throw new TestkitException("cannot use " + file + ": " + e, e);
    }
  }

  private static int port(Properties properties, String name, Path file) {
    try {
      return Integer.parseInt(properties.getProperty(name, ""));
    } catch (NumberFormatException e) {
      throw new TestkitException(
          "%s has no port '%s': delete the directory to begin anew".formatted(file, name), e);
    }
  }
}
