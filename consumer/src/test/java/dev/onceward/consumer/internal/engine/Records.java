package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.offsets.CommitNote;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Records and work for tests that need no broker. */
final class Records {

  private Records() {}

  /** A partition whose work may start. */
  static Partition partition(int number) {
    Partition partition = assigned(number, CommitNote.NONE, 0);
    partition.open = true;
    return partition;
  }

  /** A partition as it is when it has just been assigned. */
  static Partition assigned(int number, CommitNote note, int watched) {
    return new Partition(new TopicPartition("topic", number), note, watched);
  }

  static Work work(Partition partition, long offset, @Nullable String key) {
    return new Work(partition, record(partition, offset, key));
  }

  static ConsumerRecord<byte[], byte[]> record(
      Partition partition, long offset, @Nullable String key) {
    byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
    byte[] value = {1, 2, 3};
    return new ConsumerRecord<>(
        partition.id().topic(),
        partition.id().partition(),
        offset,
        0L,
        TimestampType.CREATE_TIME,
        keyBytes == null ? -1 : keyBytes.length,
        value.length,
        keyBytes,
        value,
        new RecordHeaders(),
        Optional.of(7));
  }
}
