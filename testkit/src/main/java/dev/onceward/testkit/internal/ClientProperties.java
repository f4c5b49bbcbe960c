package dev.onceward.testkit.internal;

import dev.onceward.testkit.KafkaSettings.SaslUser;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SaslConfigs;

/** What clients need to connect. */
public final class ClientProperties {
  private ClientProperties() {}

  public static Map<String, Object> of(String bootstrapServers, Optional<SaslUser> user) {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    user.ifPresent(
        u -> {
          properties.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
          properties.put(SaslConfigs.SASL_MECHANISM, "PLAIN");
          properties.put(
              SaslConfigs.SASL_JAAS_CONFIG,
              loginModule()
                  + " username=\"%s\" password=\"%s\";".formatted(u.name(), u.password()));
        });
    return Map.copyOf(properties);
  }

  /** The broker's side: the value of a listener's {@code plain.sasl.jaas.config}. */
  public static String brokerJaas(SaslUser user) {
    return loginModule() + " user_%s=\"%s\";".formatted(user.name(), user.password());
  }

  private static String loginModule() {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required";
  }
}
