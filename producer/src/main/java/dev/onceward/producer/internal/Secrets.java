package dev.onceward.producer.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/** The secret values among Kafka properties, to keep them out of text that Kafka made. */
final class Secrets {

  private static final String HIDDEN = "[hidden]";

  /** Shorter secrets are part of ordinary words; text that has one is not shown at all. */
  private static final int MIN_LENGTH_TO_REPLACE = 4;

  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i).*(password|secret|credential|token|jaas|private|passphrase).*");

  /** {@code name = value} and {@code name = "value"} of a JAAS entry, also of a broken one. */
  private static final Pattern JAAS_OPTION =
      Pattern.compile("([\\w.]+)\\s*=\\s*(?:\"([^\"]*)\"?|'([^']*)'?|([^\\s;\"']+))");

  private static final Map<String, ConfigDef.ConfigKey> KNOWN = securityConfig().configKeys();

  private final List<String> values = new ArrayList<>();

  Secrets(Map<String, ?> properties) {
    properties.forEach(
        (name, value) -> {
          if (value != null && isSecret(name)) {
            add(value instanceof Password password ? password.value() : value.toString());
          }
        });
  }

  /** The text without secrets, or null when it cannot be shown. */
  @Nullable String redact(@Nullable String text) {
    if (text == null) {
      return null;
    }
    String shown = text;
    for (String value : values) {
      if (shown.contains(value)) {
        if (value.length() < MIN_LENGTH_TO_REPLACE) {
          return null;
        }
        shown = shown.replace(value, HIDDEN);
      }
    }
    return shown;
  }

  /** Whether nothing in the messages of {@code error}, its causes and suppressed ones is secret. */
  boolean mayShow(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      String message = each.getMessage();
      if (message != null && !message.equals(redact(message))) {
        return false;
      }
      for (Throwable suppressed : each.getSuppressed()) {
        if (!mayShow(suppressed)) {
          return false;
        }
      }
      if (each.getCause() == each) {
        break;
      }
    }
    return true;
  }

  /** Whether the value of the property of this name is not to be shown. */
  static boolean isSecret(String name) {
    ConfigDef.ConfigKey known = KNOWN.get(name);
    return known != null
        ? known.type == ConfigDef.Type.PASSWORD
        : SECRET_NAME.matcher(name).matches();
  }

  private void add(String value) {
    if (!value.isBlank()) {
      values.add(value);
      values.add(value.trim());
      Matcher option = JAAS_OPTION.matcher(value);
      while (option.find()) {
        String part = firstNonNull(option.group(2), option.group(3), option.group(4));
        if (!part.isBlank() && SECRET_NAME.matcher(option.group(1)).matches()) {
          values.add(part);
        }
      }
    }
  }

  private static String firstNonNull(@Nullable String... candidates) {
    for (String candidate : candidates) {
      if (candidate != null) {
        return candidate;
      }
    }
    return "";
  }

  private static ConfigDef securityConfig() {
    ConfigDef def =
        new ConfigDef()
            .define(
                CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
                ConfigDef.Type.STRING,
                "PLAINTEXT",
                ConfigDef.Importance.MEDIUM,
                CommonClientConfigs.SECURITY_PROTOCOL_DOC);
    SslConfigs.addClientSslSupport(def);
    SaslConfigs.addClientSaslSupport(def);
    return def;
  }
}
