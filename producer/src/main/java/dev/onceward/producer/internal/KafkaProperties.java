package dev.onceward.producer.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;

/**
 * A user's Kafka properties, checked where they contradict Onceward. Messages name the property and
 * the fix and never show a value that the user set. Not thread-safe.
 */
public final class KafkaProperties {

  private final Map<String, Object> values;

  private KafkaProperties(Map<String, Object> values) {
    this.values = values;
  }

  /**
   * Takes a copy of a map, or of {@link Properties} with their defaults.
   *
   * @throws IllegalArgumentException when a name is no text
   */
  public static KafkaProperties copyOf(Map<?, ?> properties) {
    Map<String, Object> values = new LinkedHashMap<>();
    if (properties instanceof Properties withDefaults) {
      for (String name : withDefaults.stringPropertyNames()) {
        values.put(name, withDefaults.getProperty(name));
      }
    }
    properties.forEach(
        (name, value) -> {
          if (!(name instanceof String text) || text.isBlank()) {
            throw new IllegalArgumentException(
                "Kafka properties: a property name must be text, but one is "
                    + (name == null ? "null" : "a " + name.getClass().getName())
                    + ".");
          }
          if (value != null) { // Kafka has no null values; absent is the default
            values.put(text, value);
          }
        });
    return new KafkaProperties(values);
  }

  /** The value as trimmed text; null when it is not set. */
  public @Nullable String text(String name) {
    Object value = values.get(name);
    return value == null ? null : value.toString().trim();
  }

  /**
   * Refuses a property that Onceward sets itself.
   *
   * @param reason what it is set to and why; the end of a sentence
   * @throws IllegalArgumentException when the user has set it
   */
  public KafkaProperties refuse(String name, String reason) {
    return refuseIf(values.containsKey(name), name, reason);
  }

  /**
   * Refuses the value of a property.
   *
   * @param reason what it must be and why; the end of a sentence
   * @throws IllegalArgumentException when {@code contradicts}
   */
  public KafkaProperties refuseIf(boolean contradicts, String name, String reason) {
    if (contradicts) {
      throw new IllegalArgumentException("Kafka property " + name + ' ' + reason + '.');
    }
    return this;
  }

  /**
   * Requires {@code bootstrap.servers}.
   *
   * @throws IllegalArgumentException when it is not set
   */
  public KafkaProperties requireBootstrapServers() {
    String servers = text(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    return refuseIf(
        servers == null || servers.isEmpty() || servers.equals("[]"),
        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
        "is missing: set it to the brokers' addresses, such as broker-1:9092,broker-2:9092");
  }

  /** Sets a value that the user may not choose. */
  public KafkaProperties set(String name, Object value) {
    values.put(name, Objects.requireNonNull(value, name));
    return this;
  }

  /** Sets a value where the user has set none. */
  public KafkaProperties setDefault(String name, Object value) {
    values.putIfAbsent(name, Objects.requireNonNull(value, name));
    return this;
  }

  /** A copy to hand to a Kafka client. */
  public Map<String, Object> toMap() {
    return new TreeMap<>(values);
  }
}
