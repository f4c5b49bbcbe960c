package dev.onceward.producer.internal;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The properties of the producer: the user's, with what the promises of Onceward rest on. */
final class ProducerSettings {

  /**
   * How long a send may block its caller for metadata or buffer space. Kafka's own 60 s make a
   * publisher look hung when no broker answers.
   */
  static final int MAX_BLOCK_MILLIS = 10_000;

  private static final int MAX_IDEMPOTENT_IN_FLIGHT = 5;

  private ProducerSettings() {}

  /**
   * Completes and checks the user's properties.
   *
   * @throws IllegalArgumentException naming the property that contradicts
   */
  static Map<String, Object> of(Map<?, ?> properties) {
    KafkaProperties kafka = KafkaProperties.copyOf(properties);
    String acks = kafka.text(ProducerConfig.ACKS_CONFIG);
    return kafka
        .requireBootstrapServers()
        .refuse(
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            "is set by Onceward, which sends bytes: remove it")
        .refuse(
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            "is set by Onceward, which sends bytes: remove it and use a PayloadMapper")
        .refuse(
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            "cannot be used here, because an event is sent outside of transactions: remove it")
        .refuseIf(
            acks != null && !acks.equals("all") && !acks.equals("-1"),
            ProducerConfig.ACKS_CONFIG,
            "must be all: with fewer acknowledgements an event can be lost; remove it")
        .refuseIf(
            isFalse(kafka.text(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)),
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            "must be true: otherwise a retry writes an event twice or out of order; remove it")
        .refuseIf(
            number(kafka.text(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION))
                > MAX_IDEMPOTENT_IN_FLIGHT,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            "must be 5 or less: otherwise a retry can change the order of a key's events")
        .refuseIf(
            number(kafka.text(ProducerConfig.RETRIES_CONFIG)) == 0,
            ProducerConfig.RETRIES_CONFIG,
            "must not be 0: without retries a short failure loses events; remove it and bound the"
                + " time with delivery.timeout.ms")
        .refuseIf(
            "true".equalsIgnoreCase(kafka.text(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)),
            ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
            "must be false: otherwise the events of one entity lose their order; remove it")
        .set(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class)
        .set(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class)
        .set(ProducerConfig.ACKS_CONFIG, "all")
        .set(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true)
        .setDefault(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS)
        .toMap();
  }

  private static boolean isFalse(@Nullable String text) {
    return "false".equalsIgnoreCase(text);
  }

  /** The number, or -1 when there is none; Kafka itself refuses what is no number. */
  private static long number(@Nullable String text) {
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
