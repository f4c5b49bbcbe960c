package dev.onceward.it.guarantee;

import dev.onceward.testkit.RecordCollector;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Which records the broker still holds, of topics that were cut off or compacted: what the broker
 * was told to drop no consumer can handle. Not thread-safe.
 */
final class Remaining {

  private final RecordCollector collector;
  private final Map<String, Map<TopicPartition, BitSet>> topics = new HashMap<>();

  Remaining(RecordCollector collector) {
    this.collector = collector;
  }

  /** Whether the record is still there; asked when all is over. */
  boolean contain(TopicPartition partition, long offset) {
    BitSet offsets = topics.computeIfAbsent(partition.topic(), this::read).get(partition);
    return offsets != null && offsets.get(Math.toIntExact(offset));
  }

  private Map<TopicPartition, BitSet> read(String topic) {
    Map<TopicPartition, BitSet> read = new HashMap<>();
    collector
        .readAll(topic)
        .forEach(
            record ->
                read.computeIfAbsent(
                        new TopicPartition(topic, record.partition()), p -> new BitSet())
                    .set(Math.toIntExact(record.offset())));
    return read;
  }
}
