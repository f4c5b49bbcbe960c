package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.engine.Drafts.Draft;
import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
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

  /** The pause after a commit that failed, however urgent the next one is. */
  private static final long AFTER_FAILURE_NANOS = Duration.ofMillis(100).toNanos();

  private final DeliverySource source;
  private final Problems problems;
  private final Drafts drafts;
  private final Suspects suspects;
  private final Runnable arrived;
  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private long lastNanos;
  private boolean underWay;
  private boolean failed;

  /**
   * Creates it.
   *
   * @param arrived runs after each commit, for work that has waited for it
   * @param nanoTime as {@link System#nanoTime}
   */
  Commits(
      DeliverySource source,
      Problems problems,
      Drafts drafts,
      Suspects suspects,
      Duration interval,
      Runnable arrived,
      LongSupplier nanoTime) {
    this.source = source;
    this.problems = problems;
    this.drafts = drafts;
    this.suspects = suspects;
    this.intervalNanos = interval.toNanos();
    this.arrived = arrived;
    this.nanoTime = nanoTime;
    this.lastNanos = nanoTime.getAsLong();
  }

  /**
   * Commits what is new when the interval has passed, or at once when work waits for it, unless a
   * commit is under way.
   *
   * @return whether work waits for a commit, or will do so in a moment
   */
  boolean commitWhenDue(Collection<Partition> partitions) {
    boolean urgent = suspects.step() || drafts.areUrgent(partitions);
    long now = nanoTime.getAsLong();
    if (now - lastNanos >= pause(urgent)) {
      lastNanos = now;
      commit(partitions);
    }
    return urgent || suspects.alone() != null;
  }

  private void commit(Collection<Partition> partitions) {
    List<Draft> written = drafts.write(partitions, true);
    @Nullable Work named = suspects.alone();
    if (written.isEmpty()) {
      // what could not be committed went with its partition
      failed = false;
      problems.clear(SUBJECT);
      suspects.committed(named);
      return;
    }
    underWay = true;
    try {
      source.commitLater(
          byId(written),
          error -> {
            underWay = false;
            finished(written, named, error);
          });
    } catch (RetriableException | CommitFailedException | RebalanceInProgressException e) {
      // no callback will come
      underWay = false;
      finished(written, named, e);
    }
  }

  private long pause(boolean urgent) {
    if (underWay) {
      return LOST_AFTER_NANOS;
    }
    if (!urgent) {
      return intervalNanos;
    }
    return failed ? AFTER_FAILURE_NANOS : 0;
  }

  /**
   * Commits what is new and waits for it; the ownership of the partitions is about to end.
   *
   * @return false when it failed and may go well after a further poll: a rebalance is under way, or
   *     the broker did not answer
   */
  boolean commitLast(Collection<Partition> partitions, Duration timeout) {
    List<Draft> written = drafts.write(partitions, false);
    if (written.isEmpty()) {
      return true;
    }
    try {
      source.commitNow(byId(written), timeout);
      written.forEach(drafts::arrived);
      return true;
    } catch (OffsetMetadataTooLarge e) {
      drafts.shorten();
      return commitLast(partitions, timeout);
    } catch (RebalanceInProgressException | RetriableException e) {
      log.debug("committing at the end of an ownership is put off", e);
      return false;
    } catch (RuntimeException e) {
      log.warn("committing at the end of an ownership failed, its last work is redelivered", e);
      return true;
    }
  }

  private void finished(List<Draft> written, @Nullable Work named, @Nullable Exception error) {
    failed = error != null;
    if (error == null) {
      written.forEach(drafts::arrived);
      suspects.committed(named);
      problems.clear(SUBJECT);
      arrived.run();
    } else if (error instanceof OffsetMetadataTooLarge) {
      drafts.shorten();
    } else if (error instanceof RebalanceInProgressException) {
      log.debug("a rebalance put a commit off; the next one makes up for it", error);
    } else if (error instanceof RetriableException) {
      problems.raise(SUBJECT, "failed, tried again: " + error.getMessage());
    } else {
      // poll throws what is fatal; whatever else it is, the next interval commits again
      problems.raise(SUBJECT, "failed: " + error.getMessage());
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> byId(List<Draft> drafts) {
    Map<TopicPartition, OffsetAndMetadata> byId = new HashMap<>();
    for (Draft draft : drafts) {
      draft.partition().sent(draft.offset());
      byId.put(draft.partition().id(), draft.offset());
    }
    return byId;
  }
}
