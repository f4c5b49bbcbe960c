package dev.onceward.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How a broker is set up. Immutable.
 *
 * @param brokerProperties broker properties that are added to the testkit's and win over them
 * @param directory where the broker keeps its data and log; without one, a temporary directory that
 *     is deleted on close
 * @param heapMegabytes the heap of a broker in a process of its own
 * @param saslUser the user that clients must authenticate as (SASL/PLAIN); without one, no
 *     authentication
 * @param advertisedPort the loopback port that clients are told to connect to, when it is not the
 *     broker's own: that of a {@link TcpProxy}
 * @param startTimeout how long a start may take
 */
public record KafkaSettings(
    Map<String, String> brokerProperties,
    Optional<Path> directory,
    int heapMegabytes,
    Optional<SaslUser> saslUser,
    OptionalInt advertisedPort,
    Duration startTimeout) {

  /** Copies the properties and checks the heap. */
  public KafkaSettings {
    brokerProperties = Map.copyOf(brokerProperties);
    if (heapMegabytes < 64) {
      throw new IllegalArgumentException(
          "heapMegabytes is " + heapMegabytes + ": a broker needs at least 64");
    }
  }

  /** Plain text on a temporary directory, 256 MiB of heap, 60 seconds to start. */
  public static KafkaSettings defaults() {
    return builder().build();
  }

  /** A builder that starts with the {@linkplain #defaults() defaults}. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A SASL/PLAIN user. Its text form leaves the password out.
   *
   * @param name letters, digits, {@code _} and {@code -}
   * @param password neither quotes nor backslashes
   */
  public record SaslUser(String name, String password) {
    /** Checks that name and password can stand in a JAAS configuration. */
    public SaslUser {
      if (!name.matches("[A-Za-z0-9_-]+")) {
        throw new IllegalArgumentException(
            "SASL user name '" + name + "': use letters, digits, '_' and '-' only");
      }
      if (password.isEmpty() || password.matches("(?s).*[\"'\\\\\\s;].*")) {
        throw new IllegalArgumentException(
            "SASL password of '" + name + "': use no blanks, quotes, backslashes or semicolons");
      }
    }

    @Override
    public String toString() {
      return "SaslUser[name=" + name + "]";
    }
  }

  /** Collects settings; not thread-safe. */
  public static final class Builder {
    private final Map<String, String> brokerProperties = new LinkedHashMap<>();
    private @Nullable Path directory;
    private int heapMegabytes = 256;
    private @Nullable SaslUser saslUser;
    private OptionalInt advertisedPort = OptionalInt.empty();
    private Duration startTimeout = Duration.ofSeconds(60);

    private Builder() {}

    /** Sets a broker property such as {@code message.max.bytes}. */
    public Builder brokerProperty(String name, Object value) {
      brokerProperties.put(name, value.toString());
      return this;
    }

    /** Keeps data and log in {@code directory}, which outlives the broker. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /** The heap of a broker in a process of its own, in MiB, at least 64; default 256. */
    public Builder heapMegabytes(int heapMegabytes) {
      this.heapMegabytes = heapMegabytes;
      return this;
    }

    /** Lets only this user in, over SASL/PLAIN without TLS. */
    public Builder saslPlain(String user, String password) {
      this.saslUser = new SaslUser(user, password);
      return this;
    }

    /** Tells clients to connect to this loopback port: that of a {@link TcpProxy}. */
    public Builder advertisedPort(int port) {
      this.advertisedPort = OptionalInt.of(port);
      return this;
    }

    /** How long a start may take; default 60 s. */
    public Builder startTimeout(Duration startTimeout) {
      this.startTimeout = startTimeout;
      return this;
    }

    /** Builds the settings. */
    public KafkaSettings build() {
      return new KafkaSettings(
          brokerProperties,
          Optional.ofNullable(directory),
          heapMegabytes,
          Optional.ofNullable(saslUser),
          advertisedPort,
          startTimeout);
    }
  }
}
