package dev.onceward.producer.internal;

import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * Says which property is wrong when no Kafka client can be made from them. Some of Kafka's messages
 * tell only the value. Immutable and thread-safe.
 */
final class PropertyAdvice {

  private final Map<String, String> values = new TreeMap<>();
  private final Function<@Nullable String, String> quote;

  /**
   * Advice on these properties.
   *
   * @param quote makes one line without secrets of a message
   */
  PropertyAdvice(Map<String, ?> properties, Function<@Nullable String, String> quote) {
    this.quote = quote;
    properties.forEach(
        (name, value) -> {
          if (value != null && !Secrets.isSecret(name)) {
            values.put(name, value.toString());
          }
        });
  }

  /** What is wrong, or nothing when it is no property. */
  Optional<String> explain(Throwable error) {
    if (error instanceof ConfigException || error instanceof IllegalArgumentException) {
      return Optional.of("a Kafka property is not valid: " + quote.apply(error.getMessage()));
    }
    if (error instanceof ClassNotFoundException) {
      String name = quote.apply(error.getMessage());
      return Optional.of(
          "class " + name + namedBy(name) + " is not on the class path: correct it or add its jar");
    }
    if (error instanceof NoSuchFileException missing) {
      String file = quote.apply(missing.getFile());
      return Optional.of("file " + file + namedBy(file) + " does not exist: correct the path");
    }
    if (error instanceof LoginException) {
      return Optional.of(
          SaslConfigs.SASL_JAAS_CONFIG + " cannot be used: " + quote.apply(error.getMessage()));
    }
    return Optional.empty();
  }

  private String namedBy(String value) {
    String names =
        values.entrySet().stream()
            .filter(property -> !value.isEmpty() && property.getValue().contains(value))
            .map(Map.Entry::getKey)
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "" : " (" + names + ')';
  }
}
