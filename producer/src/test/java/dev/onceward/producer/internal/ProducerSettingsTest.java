package dev.onceward.producer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerSettingsTest {

  private static final String SERVERS = "127.0.0.1:9092";

  @Test
  void whatOncewardPromisesIsSet() {
    assertThat(ProducerSettings.of(Map.of("bootstrap.servers", SERVERS)))
        .containsEntry("acks", "all")
        .containsEntry("enable.idempotence", true)
        .containsEntry("key.serializer", ByteArraySerializer.class)
        .containsEntry("value.serializer", ByteArraySerializer.class)
        .containsEntry("max.block.ms", 10_000);
  }

  @Test
  void theUsersOwnSettingsAreKept() {
    assertThat(
            ProducerSettings.of(
                Map.of(
                    "bootstrap.servers", List.of(SERVERS),
                    "acks", "-1",
                    "enable.idempotence", "true",
                    "max.in.flight.requests.per.connection", 5,
                    "max.block.ms", "500",
                    "linger.ms", 20,
                    "partitioner.class", "com.acme.MyPartitioner")))
        .containsEntry("bootstrap.servers", List.of(SERVERS))
        .containsEntry("max.block.ms", "500")
        .containsEntry("linger.ms", 20)
        .containsEntry("partitioner.class", "com.acme.MyPartitioner")
        .containsEntry("acks", "all");
  }

  @ParameterizedTest
  @CsvSource({
    "acks, 1",
    "acks, 0",
    "acks, ' 1 '",
    "enable.idempotence, false",
    "enable.idempotence, FALSE",
    "max.in.flight.requests.per.connection, 6",
    "retries, 0",
    "key.serializer, org.apache.kafka.common.serialization.StringSerializer",
    "value.serializer, org.apache.kafka.common.serialization.StringSerializer",
    "transactional.id, tx-1",
    "partitioner.ignore.keys, true"
  })
  void aPropertyThatContradictsIsRefusedInOneLineThatNamesIt(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProducerSettings.of(Map.of("bootstrap.servers", SERVERS, name, value)))
        .withMessageStartingWith("Kafka property " + name + " ")
        .withMessageNotContaining("\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  "})
  void theBrokersMustBeNamed(String servers) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProducerSettings.of(Map.of("bootstrap.servers", servers)))
        .withMessageContaining("bootstrap.servers is missing");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProducerSettings.of(Map.of()))
        .withMessageContaining("bootstrap.servers is missing");
  }

  @Test
  void propertiesAreTakenWithTheirDefaultsAndWithValuesThatAreNoText() {
    Properties defaults = new Properties();
    defaults.setProperty("bootstrap.servers", SERVERS);
    defaults.setProperty("linger.ms", "1");
    Properties properties = new Properties(defaults);
    properties.put("linger.ms", 7);

    assertThat(ProducerSettings.of(properties))
        .containsEntry("bootstrap.servers", SERVERS)
        .containsEntry("linger.ms", 7);
  }

  @Test
  void aNameThatIsNoTextIsRefused() {
    Map<Object, Object> properties = new HashMap<>();
    properties.put(17, "x");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProducerSettings.of(properties))
        .withMessageContaining("java.lang.Integer");
  }

  @Test
  void aNullValueCountsAsNotSet() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", SERVERS);
    properties.put(ProducerConfig.ACKS_CONFIG, null);
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, null);

    assertThat(ProducerSettings.of(properties)).containsEntry("acks", "all");
  }
}
