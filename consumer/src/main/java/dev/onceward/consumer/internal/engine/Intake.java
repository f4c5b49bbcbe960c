package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.source.DeliverySource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Bounds what is in flight, by records and by bytes: each partition has an equal share, is paused
 * when the next poll could exceed it and resumed at half of it; all are paused when all together
 * reach the bound. Confined to the poll thread.
 */
final class Intake {

  /** Done records kept behind one that is not; each costs little, but without end it adds up. */
  private static final int MAX_SPAN = 100_000;

  private final DeliverySource source;
  private final int maxRecords;
  private final long maxBytes;
  private final int pollRecords;
  private boolean closed;

  /** Creates it; one poll brings at most {@code pollRecords}. */
  Intake(DeliverySource source, int maxRecords, long maxBytes, int pollRecords) {
    this.source = source;
    this.pollRecords = pollRecords;
    this.maxRecords = maxRecords;
    this.maxBytes = maxBytes;
  }

  /** Pauses and resumes as the load asks for; true when any partition is paused. */
  boolean adjust(Collection<Partition> partitions) {
    if (partitions.isEmpty()) {
      return false;
    }
    int share = maxRecords / partitions.size();
    // many partitions have shares that one poll exceeds; then the bound on the whole must do
    int records = Math.max(1, Math.max(share / 2, share - pollRecords + 1));
    long bytes = Math.max(1, maxBytes / partitions.size());
    boolean closedToAll = closed || exhausted(partitions);
    List<TopicPartition> pause = new ArrayList<>();
    List<TopicPartition> resume = new ArrayList<>();
    boolean anyPaused = false;
    for (Partition partition : partitions) {
      boolean paused = partition.paused();
      boolean full = closedToAll || exceeds(partition.progress(), records, bytes, MAX_SPAN);
      boolean roomy = !exceeds(partition.progress(), records / 2 + 1, bytes / 2 + 1, MAX_SPAN / 2);
      if (!paused && full) {
        pause.add(partition.id());
        partition.paused(true);
      } else if (paused && !full && roomy) {
        resume.add(partition.id());
        partition.paused(false);
      }
      anyPaused |= partition.paused();
    }
    if (!pause.isEmpty()) {
      source.pause(pause);
    }
    if (!resume.isEmpty()) {
      source.resume(resume);
    }
    return anyPaused;
  }

  /** From the next {@link #adjust} on takes nothing in. */
  void close() {
    closed = true;
  }

  private boolean exhausted(Collection<Partition> partitions) {
    long records = 0;
    long bytes = 0;
    for (Partition partition : partitions) {
      records += partition.progress().unfinished();
      bytes += partition.progress().unfinishedBytes();
    }
    return records >= maxRecords || bytes >= maxBytes;
  }

  private static boolean exceeds(Progress progress, int records, long bytes, int span) {
    return progress.unfinished() >= records
        || progress.unfinishedBytes() >= bytes
        || progress.span() >= span;
  }
}
