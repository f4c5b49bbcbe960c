package dev.onceward.it.guarantee;

import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Follows the dead-letter topics and knows which records lie there. Thread-safe. */
final class DeadLetterTopics implements Letters, AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(50);

  private final KafkaConsumer<byte[], byte[]> reader;

  /** When the first letter of each record was written, in epoch milliseconds. */
  private final Map<TopicPartition, Map<Long, Long>> written = new HashMap<>();

  private final Map<String, Integer> reasons = new TreeMap<>();
  private int letters;
  private int doubles;

  /** Creates the dead-letter topics of these topics, and reads them. */
  DeadLetterTopics(Scene scene, Map<String, Integer> topics) {
    Map<String, Object> properties = new HashMap<>(scene.kafka().clientProperties());
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    reader =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    List<TopicPartition> partitions = new ArrayList<>();
    topics.forEach(
        (topic, count) -> {
          scene
              .kafka()
              .createTopic(scene.deadLetters(topic), count, Map.of("retention.ms", "2592000000"));
          for (int partition = 0; partition < count; partition++) {
            partitions.add(new TopicPartition(scene.deadLetters(topic), partition));
          }
        });
    reader.assign(partitions);
    reader.seekToBeginning(partitions);
  }

  @Override
  public synchronized void catchUp() {
    Map<TopicPartition, Long> ends = reader.endOffsets(reader.assignment());
    while (ends.entrySet().stream().anyMatch(e -> reader.position(e.getKey()) < e.getValue())) {
      reader.poll(POLL).forEach(this::take);
    }
  }

  @Override
  public synchronized long writtenAt(TopicPartition partition, long offset) {
    return written.getOrDefault(partition, Map.of()).getOrDefault(offset, Long.MAX_VALUE);
  }

  /** Records that lie there. */
  synchronized int records() {
    return letters - doubles;
  }

  /** Records that lie there more than once. */
  synchronized int doubles() {
    return doubles;
  }

  /** How many letters there are for each reason. */
  synchronized Map<String, Integer> reasons() {
    return new TreeMap<>(reasons);
  }

  private void take(ConsumerRecord<byte[], byte[]> letter) {
    TopicPartition partition =
        new TopicPartition(
            DeadLetter.header(letter, "__dlq.errors.topic"),
            Integer.parseInt(DeadLetter.header(letter, "__dlq.errors.partition")));
    long offset = Long.parseLong(DeadLetter.header(letter, "__dlq.errors.offset"));
    letters++;
    if (written
            .computeIfAbsent(partition, p -> new HashMap<>())
            .putIfAbsent(offset, letter.timestamp())
        != null) {
      doubles++;
    }
    reasons.merge(DeadLetter.header(letter, "dlq_reason"), 1, Integer::sum);
  }

  @Override
  public synchronized void close() {
    reader.close();
  }
}
