package dev.onceward.consumer.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Which records of a partition are done, and so what may be committed: never past one that is not.
 * Offsets may have gaps (compaction, transaction markers). Confined to the poll thread.
 */
final class Progress {

  /** In offset order; its head is never done. */
  private final Deque<Work> open = new ArrayDeque<>();

  private @Nullable OffsetAndMetadata position;
  private Optional<Integer> lastDoneEpoch = Optional.empty();
  private long committed = -1;
  private int unfinished;
  private long unfinishedBytes;

  /** Adds a record that was read; offsets must rise. */
  void add(Work work) {
    Work last = open.peekLast();
    if (last != null && work.offset() <= last.offset()) {
      throw new IllegalStateException(
          "offset " + work.offset() + " was read after offset " + last.offset());
    }
    open.addLast(work);
    unfinished++;
    unfinishedBytes += work.bytes();
  }

  /** Says where reading goes on, which may be past the last record when a marker follows it. */
  void readUpTo(OffsetAndMetadata next) {
    position = next;
  }

  /**
   * Whether the offset was read before: the topic was created anew or cut off, and counts again.
   */
  boolean isBehind(long offset) {
    return position != null && offset < position.offset();
  }

  /** Marks a record as done. Marking it again changes nothing. */
  void done(Work work) {
    if (work.done) {
      return;
    }
    work.done = true;
    unfinished--;
    unfinishedBytes -= work.bytes();
    Work head = open.peekFirst();
    if (head != work) {
      work.release();
      return;
    }
    while (head != null && head.done) {
      lastDoneEpoch = leaderEpoch(head);
      head.release();
      open.removeFirst();
      head = open.peekFirst();
    }
  }

  private Optional<Integer> leaderEpoch(Work work) {
    // a record that was done out of turn is released already: the epoch before it is a safe one
    return work.isReleased() ? lastDoneEpoch : work.record().leaderEpoch();
  }

  /** What may be committed and has not been, or null when there is nothing new. */
  @Nullable OffsetAndMetadata committable() {
    Work head = open.peekFirst();
    OffsetAndMetadata next =
        head == null ? position : new OffsetAndMetadata(head.offset(), lastDoneEpoch, "");
    return next == null || next.offset() <= committed ? null : next;
  }

  /** Remembers that the offset is committed. */
  void committed(long offset) {
    committed = Math.max(committed, offset);
  }

  /** Whether every record up to and including the offset is done. */
  boolean doneUpTo(long offset) {
    Work head = open.peekFirst();
    return head == null || head.offset() > offset;
  }

  /** The record that holds up commits, or null when all are done. */
  @Nullable Work firstUnfinished() {
    return open.peekFirst();
  }

  /** Records that are not done. */
  int unfinished() {
    return unfinished;
  }

  /** An estimate of the heap that records not done hold, in bytes. */
  long unfinishedBytes() {
    return unfinishedBytes;
  }

  /**
   * Records from the first that is not done to the last read, the done ones among them included.
   */
  int span() {
    return open.size();
  }

  void forEachUnfinished(Consumer<Work> action) {
    for (Work work : open) {
      if (!work.done) {
        action.accept(work);
      }
    }
  }
}
