package dev.onceward.testkit;

import dev.onceward.testkit.internal.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads all that a topic holds, to assert on: outputs, dead letters. It reads only what is
 * committed, belongs to no consumer group and leaves no trace. Immutable and thread-safe.
 */
public final class RecordCollector {
  private static final Duration POLL = Duration.ofMillis(100);

  private final Map<String, Object> properties;
  private final Duration timeout;

  private RecordCollector(Map<String, Object> properties, Duration timeout) {
    this.properties = properties;
    this.timeout = timeout;
  }

  /** Reads from {@code kafka}, and gives up after 30 seconds. */
  public static RecordCollector on(KafkaServer kafka) {
    return on(kafka.clientProperties());
  }

  /** Reads with these client properties, and gives up after 30 seconds. */
  public static RecordCollector on(Map<String, Object> clientProperties) {
    Map<String, Object> properties = new HashMap<>(clientProperties);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return new RecordCollector(properties, Duration.ofSeconds(30));
  }

  /** A collector that gives up after {@code timeout}. */
  public RecordCollector within(Duration timeout) {
    return new RecordCollector(properties, timeout);
  }

  /**
   * The records that {@code topic} holds now, by partition and offset.
   *
   * @throws TestkitException when the topic does not exist or is not read in time
   */
  public List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
    return read(topic, 0);
  }

  /**
   * The records that {@code topic} holds as soon as there are {@code count} or more, by partition
   * and offset.
   *
   * @throws TestkitException when they do not come in time; the message tells how many did
   */
  public List<ConsumerRecord<byte[], byte[]>> awaitCount(String topic, int count) {
    return read(topic, count);
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String topic, int count) {
    Deadline deadline = Deadline.in(timeout);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(partitions(consumer, topic, deadline));
      consumer.seekToBeginning(consumer.assignment());
      Map<TopicPartition, Long> ends =
          consumer.endOffsets(consumer.assignment(), remaining(deadline));
      while (records.size() < count || !reached(consumer, ends, deadline)) {
        if (deadline.passed()) {
          throw tooLate(topic, count, records);
        }
        consumer.poll(POLL).forEach(records::add);
      }
    } catch (TimeoutException e) {
      throw new TestkitException(
          "topic '%s' could not be read within %s at %s: %s"
              .formatted(
                  topic,
                  timeout,
                  properties.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG),
                  e.getMessage()),
          e);
    } catch (KafkaException e) {
      throw new TestkitException("topic '%s' could not be read: %s".formatted(topic, e), e);
    }
    records.sort(
        Comparator.<ConsumerRecord<byte[], byte[]>>comparingInt(ConsumerRecord::partition)
            .thenComparingLong(ConsumerRecord::offset));
    return List.copyOf(records);
  }

  private static List<TopicPartition> partitions(
      Consumer<byte[], byte[]> consumer, String topic, Deadline deadline) {
    List<PartitionInfo> infos = consumer.partitionsFor(topic, remaining(deadline));
    if (infos == null || infos.isEmpty()) {
      throw new TestkitException("there is no topic '" + topic + "' to read");
    }
    return infos.stream().map(info -> new TopicPartition(topic, info.partition())).toList();
  }

  private static boolean reached(
      Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Deadline deadline) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey(), remaining(deadline)) >= end.getValue());
  }

  private static Duration remaining(Deadline deadline) {
    return deadline.left().plus(POLL);
  }

  private TestkitException tooLate(
      String topic, int count, List<ConsumerRecord<byte[], byte[]>> records) {
    Map<Integer, Long> byPartition =
        records.stream()
            .collect(Collectors.groupingBy(ConsumerRecord::partition, Collectors.counting()));
    return new TestkitException(
        "topic '%s' gave %d records within %s instead of %s (records by partition: %s)"
            .formatted(
                topic,
                records.size(),
                timeout,
                count > 0 ? "at least " + count : "all",
                byPartition));
  }
}
