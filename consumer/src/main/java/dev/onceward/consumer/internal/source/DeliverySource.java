package dev.onceward.consumer.internal.source;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Where records come from and where it is settled that they are done. Poll thread only. */
public interface DeliverySource extends AutoCloseable {

  /** Starts to read the topics; ownership changes are told to {@code listener} during polls. */
  void subscribe(Set<String> topics, OwnershipListener listener);

  /** Reads what has arrived, waiting up to {@code timeout}. */
  ConsumerRecords<byte[], byte[]> poll(Duration timeout);

  /** Stops reading these partitions; they stay owned. */
  void pause(Collection<TopicPartition> partitions);

  /** Reads these partitions again. */
  void resume(Collection<TopicPartition> partitions);

  /** Reads this partition from the offset on; what was read ahead is dropped. */
  void seek(TopicPartition partition, long offset);

  /** Commits without waiting; {@code done} gets null or the error during a later poll. */
  void commitLater(Map<TopicPartition, OffsetAndMetadata> offsets, CommitResult done);

  /** Commits and waits up to {@code timeout}. */
  void commitNow(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout);

  /** The committed offsets of these partitions, and what was committed beside them. */
  Map<TopicPartition, OffsetAndMetadata> committed(
      Set<TopicPartition> partitions, Duration timeout);

  /**
   * How long ago the group was last told that this member lives; empty when it was not told yet, or
   * nobody knows. Asks nobody.
   */
  Optional<Duration> sinceHeartbeat();

  /** Gives up all partitions and closes the connections. */
  @Override
  void close();

  /** Told on the poll thread when partitions come and go; must not throw. */
  interface OwnershipListener {
    void assigned(Collection<TopicPartition> partitions);

    /** The partitions are about to go; they may be drained and committed before this returns. */
    void revoked(Collection<TopicPartition> partitions);

    /** The partitions are gone already; nothing can be committed. */
    void lost(Collection<TopicPartition> partitions);
  }

  /** What became of a commit. */
  @FunctionalInterface
  interface CommitResult {
    void completed(@Nullable Exception error);
  }
}
