package dev.onceward.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;

/** Plain Kafka clients for the tests of the servers. */
final class Clients {
  private Clients() {}

  static KafkaProducer<byte[], byte[]> producer(KafkaServer kafka) {
    Map<String, Object> properties = new HashMap<>(kafka.clientProperties());
    properties.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  static void produce(KafkaServer kafka, String topic, String... values) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(kafka)) {
      for (String value : values) {
        producer.send(new ProducerRecord<>(topic, value.getBytes(StandardCharsets.UTF_8))).get();
      }
    }
  }

  static KafkaConsumer<byte[], byte[]> consumer(KafkaServer kafka, String group, String protocol) {
    Map<String, Object> properties = new HashMap<>(kafka.clientProperties());
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Reads {@code count} values as a member of {@code group}, and commits. */
  static List<String> consume(
      KafkaServer kafka, String topic, String group, String protocol, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(kafka, group, protocol)) {
      consumer.subscribe(List.of(topic));
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .pollInSameThread()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(200)).forEach(r -> values.add(text(r)));
                return values.size() >= count;
              });
      consumer.commitSync();
    }
    return values;
  }

  static List<String> texts(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(Clients::text).toList();
  }

  private static String text(ConsumerRecord<byte[], byte[]> record) {
    return new String(record.value(), StandardCharsets.UTF_8);
  }
}
