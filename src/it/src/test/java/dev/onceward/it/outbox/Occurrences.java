package dev.onceward.it.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What a topic holds of each entity: which versions, in which order they came first, and again. */
final class Occurrences {

  /**
   * A record that is there again.
   *
   * @param firstSent when it was sent for the first time, in epoch milliseconds
   * @param sentAgain when it was sent this time
   */
  record Duplicate(String id, long firstSent, long sentAgain) {}

  private final Map<String, List<Long>> firsts = new HashMap<>();
  private final Map<String, Long> sent = new HashMap<>();
  private final List<Duplicate> duplicates = new ArrayList<>();

  private Occurrences() {}

  /** Reads all that a topic holds now, record by record: it may be much. */
  static Occurrences in(KafkaServer kafka, String topic) {
    Occurrences found = new Occurrences();
    Map<TopicPartition, Long> ends = kafka.endOffsets(topic);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            kafka.clientProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(ends.keySet());
      consumer.seekToBeginning(ends.keySet());
      Scene.eventually()
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
                return ends.entrySet().stream()
                    .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
              });
    }
    return found;
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    String key = new String(record.key(), UTF_8);
    long version = Long.parseLong(header(record, "ce_entityversion"));
    String id = key + "/" + version;
    Long before = sent.putIfAbsent(id, record.timestamp());
    if (before == null) {
      firsts.computeIfAbsent(key, any -> new ArrayList<>()).add(version);
    } else {
      duplicates.add(new Duplicate(id, before, record.timestamp()));
    }
  }

  static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = requireNonNull(record.headers().lastHeader(name), name);
    return new String(header.value(), UTF_8);
  }

  /** How many different events there are. */
  long distinct() {
    return sent.size();
  }

  List<Duplicate> duplicates() {
    return duplicates;
  }

  /** The versions of an entity in the order in which they came first. */
  List<Long> versions(String key) {
    return firsts.getOrDefault(key, List.of());
  }

  /** Each first occurrence that is not one more than the one before it. */
  List<String> violations() {
    List<String> violations = new ArrayList<>();
    firsts.forEach(
        (key, versions) -> {
          long last = 0;
          for (long version : versions) {
            if (version != last + 1) {
              violations.add(key + ": " + version + " after " + last);
            }
            last = version;
          }
        });
    return violations;
  }

  /** The entities of which there is anything. */
  Set<String> keys() {
    return new HashSet<>(firsts.keySet());
  }
}
