package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.source.DeliverySource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Bounds what is in flight, by records and by bytes: each partition has an equal share, is paused
 * when the next poll could exceed it and resumed at half of it; all are paused when all together
 * reach the bound. Confined to the poll thread.
 */
final class Intake {

  /** The most that is done again when the note of a commit gets lost, in offsets. */
  private static final long MAX_REPLAY = 1_000_000;

  /**
   * The part of the longest note at which a partition is paused: what would not fit any more is
   * done again after a restart.
   */
  private static final double FULL_NOTE = 0.75;

  /**
   * A note that may not even be so long does not fit whatever is paused: a few handlers at work
   * fill it.
   */
  private static final int SHORT_NOTE = 512;

  private final DeliverySource source;
  private final int maxRecords;
  private final long maxBytes;
  private final int pollRecords;
  private final IntSupplier maxNoteChars;
  private boolean closed;

  /**
   * Creates it.
   *
   * @param pollRecords what one poll brings at most
   * @param maxNoteChars how long the note beside an offset may be
   */
  Intake(
      DeliverySource source,
      int maxRecords,
      long maxBytes,
      int pollRecords,
      IntSupplier maxNoteChars) {
    this.maxNoteChars = maxNoteChars;
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
      boolean full = closedToAll || exceeds(partition, records, bytes, 1);
      boolean roomy = !exceeds(partition, records / 2 + 1, bytes / 2 + 1, 0.5);
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

  private boolean exceeds(Partition partition, int records, long bytes, double part) {
    Progress progress = partition.progress();
    return progress.unfinished() >= records
        || progress.unfinishedBytes() >= bytes
        || partition.replay() >= MAX_REPLAY * part
        || noteExceeds(partition, part);
  }

  private boolean noteExceeds(Partition partition, double part) {
    int most = maxNoteChars.getAsInt();
    return most >= SHORT_NOTE && partition.noteChars() >= most * FULL_NOTE * part;
  }
}
