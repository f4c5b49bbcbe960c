package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Commits what is done, one commit at a time. Confined to the poll thread. */
final class Commits {

  private static final Logger log = ConsumerLog.log;
  private static final String SUBJECT = "offset commit";

  /** A commit whose answer has not come after so long does not hold up the next one for ever. */
  private static final long LOST_AFTER_NANOS = Duration.ofMinutes(2).toNanos();

  private final DeliverySource source;
  private final Problems problems;
  private final long intervalNanos;
  private long lastNanos = System.nanoTime();
  private boolean underWay;

  Commits(DeliverySource source, Problems problems, Duration interval) {
    this.source = source;
    this.problems = problems;
    this.intervalNanos = interval.toNanos();
  }

  /** Commits what is new when the interval has passed and no commit is under way. */
  void commitWhenDue(Collection<Partition> partitions) {
    long now = System.nanoTime();
    if (now - lastNanos < (underWay ? LOST_AFTER_NANOS : intervalNanos)) {
      return;
    }
    lastNanos = now;
    Map<Partition, OffsetAndMetadata> offsets = committable(partitions);
    if (offsets.isEmpty()) {
      // what could not be committed went with its partition
      problems.clear(SUBJECT);
      return;
    }
    underWay = true;
    try {
      source.commitLater(
          byId(offsets),
          error -> {
            underWay = false;
            finished(offsets, error);
          });
    } catch (RetriableException | CommitFailedException e) {
      // no callback will come
      underWay = false;
      finished(offsets, e);
    }
  }

  /**
   * Commits what is new and waits for it.
   *
   * @return false when it failed and may go well after a further poll: a rebalance is under way, or
   *     the broker did not answer
   */
  boolean commitNow(Collection<Partition> partitions, Duration timeout) {
    Map<Partition, OffsetAndMetadata> offsets = committable(partitions);
    if (offsets.isEmpty()) {
      return true;
    }
    try {
      source.commitNow(byId(offsets), timeout);
      finished(offsets, null);
      return true;
    } catch (RebalanceInProgressException | RetriableException e) {
      log.debug("committing at the end of an ownership is put off", e);
      return false;
    } catch (RuntimeException e) {
      log.warn("committing at the end of an ownership failed, its last work is redelivered", e);
      return true;
    }
  }

  private void finished(Map<Partition, OffsetAndMetadata> offsets, @Nullable Exception error) {
    if (error == null) {
      offsets.forEach((p, offset) -> p.progress().committed(offset.offset()));
      problems.clear(SUBJECT);
    } else if (error instanceof RebalanceInProgressException) {
      log.debug("a rebalance put a commit off; the next one makes up for it", error);
    } else if (error instanceof RetriableException) {
      problems.raise(SUBJECT, "failed, tried again: " + error.getMessage());
    } else {
      // poll throws what is fatal; whatever else it is, the next interval commits again
      problems.raise(SUBJECT, "failed: " + error.getMessage());
    }
  }

  private static Map<Partition, OffsetAndMetadata> committable(Collection<Partition> partitions) {
    Map<Partition, OffsetAndMetadata> offsets = new HashMap<>();
    for (Partition partition : partitions) {
      OffsetAndMetadata offset = partition.progress().committable();
      if (offset != null) {
        offsets.put(partition, offset);
      }
    }
    return offsets;
  }

  private static Map<TopicPartition, OffsetAndMetadata> byId(
      Map<Partition, OffsetAndMetadata> offsets) {
    Map<TopicPartition, OffsetAndMetadata> byId = new HashMap<>();
    offsets.forEach((partition, offset) -> byId.put(partition.id(), offset));
    return byId;
  }
}
