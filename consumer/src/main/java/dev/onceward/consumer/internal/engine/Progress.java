package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.CommitNote.Rest;
import dev.onceward.consumer.internal.offsets.NoteContent;
import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Which records of a partition are done, and so what may be committed: never past one that is not.
 * Keeps the records that are not done, as a list in offset order; whatever else was read is done,
 * and costs nothing however much it is. Offsets may have gaps (compaction, transaction markers).
 * Confined to the poll thread.
 */
final class Progress {

  /** The most records that a commit names as started: they must fit in its note. */
  private static final int MOST_STARTED = 256;

  /** The most records whose failed attempts a commit tells; of the others they count anew. */
  private static final int MOST_FAILED = 200;

  private final CommitNote before;
  private @Nullable Work head;
  private @Nullable Work tail;
  private @Nullable OffsetAndMetadata position;
  private Optional<Integer> lastDoneEpoch = Optional.empty();
  private int highestEpoch = -1;
  private long firstRead = -1;
  private long lastRead = -1;
  private long highestDone = -1;
  private int unfinished;
  private long unfinishedBytes;
  private long headSinceNanos;

  /** Progress from a partition's very beginning. */
  Progress() {
    this(CommitNote.NONE);
  }

  /**
   * Progress from where the last owner came to.
   *
   * @param before what that owner left: it holds on for what is not read yet
   */
  Progress(CommitNote before) {
    this.before = before;
  }

  /** Adds a record that was read; offsets must rise. */
  void add(Work work) {
    read(work.record());
    Work last = tail;
    work.before = last;
    if (last == null) {
      head = work;
      headSinceNanos = System.nanoTime();
    } else {
      last.after = work;
    }
    tail = work;
    unfinished++;
    unfinishedBytes += work.bytes();
  }

  /** Passes over a record that an earlier owner has finished. */
  void addDone(ConsumerRecord<byte[], byte[]> record) {
    read(record);
    finished(record.offset(), record.leaderEpoch());
  }

  private void read(ConsumerRecord<byte[], byte[]> record) {
    long offset = record.offset();
    if (offset <= lastRead) {
      throw new IllegalStateException("offset " + offset + " was read after offset " + lastRead);
    }
    firstRead = firstRead < 0 ? offset : firstRead;
    lastRead = offset;
    highestEpoch = Math.max(highestEpoch, record.leaderEpoch().orElse(-1));
  }

  private void finished(long offset, Optional<Integer> leaderEpoch) {
    highestDone = Math.max(highestDone, offset);
    if (head == null || offset < head.offset()) {
      lastDoneEpoch = leaderEpoch;
    }
  }

  /** Says where reading goes on, which may be past the last record when a marker follows it. */
  void readUpTo(OffsetAndMetadata next) {
    position = next;
  }

  /**
   * Whether the offset was read before: the topic was created anew or cut off, and counts again.
   */
  boolean isBehind(long offset) {
    return offset <= lastRead || (position != null && offset < position.offset());
  }

  /** Marks a record as done. Marking it again changes nothing. */
  void done(Work work) {
    if (work.done) {
      return;
    }
    work.done = true;
    unlink(work);
    unfinished--;
    unfinishedBytes -= work.bytes();
    finished(work.offset(), work.record().leaderEpoch());
    work.release();
  }

  private void unlink(Work work) {
    Work before = work.before;
    Work after = work.after;
    if (before == null) {
      head = after;
      headSinceNanos = System.nanoTime();
    } else {
      before.after = after;
    }
    if (after == null) {
      tail = before;
    } else {
      after.before = before;
    }
    work.before = null;
    work.after = null;
  }

  /** What may be committed, without a note; null when nothing was read. */
  @Nullable OffsetAndMetadata committable() {
    Work first = head;
    return first == null ? position : new OffsetAndMetadata(first.offset(), lastDoneEpoch, "");
  }

  /**
   * What a commit says beside its offset.
   *
   * @param base the offset that is committed
   * @param open whether this owner goes on working
   * @param alone whether the one that is named runs with nothing beside it
   * @param named what is named as started
   */
  NoteContent content(long base, boolean open, boolean alone, Predicate<Work> named) {
    // a leader that has cut the log off may have written other records there
    boolean holds = before.leaderEpoch() < 0 || highestEpoch <= before.leaderEpoch();
    Rest unread = (holds ? before : CommitNote.NONE).from(Math.max(base, lastRead + 1));
    long end = Math.max(Math.max(base, highestDone + 1), unread.end());
    long[] offsets = new long[unfinished + unread.unfinished().length];
    int below = 0;
    List<Entry> entries = new ArrayList<>();
    int started = 0;
    int failed = 0;
    for (Work work = head; work != null; work = work.after) {
      if (work.offset() < end) {
        offsets[below++] = work.offset();
      }
      boolean starts = started < MOST_STARTED && named.test(work);
      boolean tells = work.crashes() > 0 || (work.failedAttempts() > 0 && failed < MOST_FAILED);
      if (starts || tells) {
        entries.add(new Entry(work.offset(), work.failedAttempts(), work.deaths(open), starts));
        started += starts ? 1 : 0;
        failed += work.failedAttempts() > 0 ? 1 : 0;
      }
    }
    for (long offset : unread.unfinished()) {
      offsets[below++] = offset;
    }
    entries.addAll(unread.entries());
    int epoch = holds ? Math.max(highestEpoch, before.leaderEpoch()) : highestEpoch;
    return new NoteContent(open, alone, epoch, base, end, Arrays.copyOf(offsets, below), entries);
  }

  /**
   * What is known below the offset, where the first unfinished record must lie, when all from there
   * on is void. Whoever writes there from now on has a higher leader epoch than has been read.
   */
  NoteContent below(long offset) {
    Work first = head;
    if (first == null || first.offset() >= offset) {
      throw new IllegalStateException("nothing is unfinished below offset " + offset);
    }
    NoteContent all = content(first.offset(), false, false, work -> false);
    return new NoteContent(
        false,
        false,
        all.leaderEpoch(),
        all.base(),
        Math.min(all.end(), offset),
        Arrays.stream(all.unfinished()).takeWhile(o -> o < offset).toArray(),
        all.entries().stream().takeWhile(entry -> entry.offset() < offset).toList());
  }

  /** How many records are named as started, and neither done nor waiting for a retry. */
  int marked() {
    int marked = 0;
    for (Work work = head; work != null; work = work.after) {
      marked += work.marked && work.isAtWork() ? 1 : 0;
    }
    return marked;
  }

  /** The records that are named as started, and may not start because no commit has arrived. */
  List<Work> markedInVain() {
    List<Work> marked = new ArrayList<>();
    for (Work work = head; work != null; work = work.after) {
      if (work.marked && work.suspicion == Suspicion.WATCHED) {
        marked.add(work);
      }
    }
    return marked;
  }

  /** Marks up to so many more records that must be named before they start. */
  void mark(int most, List<Work> marked) {
    int left = most;
    for (Work work = head; work != null && left > 0; work = work.after) {
      if (work.suspicion == Suspicion.WATCHED && !work.marked) {
        work.marked = true;
        marked.add(work);
        left--;
      }
    }
  }

  /** The record that holds up commits, or null when all are done. */
  @Nullable Work firstUnfinished() {
    return head;
  }

  /** Since when the first unfinished record is the first, as {@link System#nanoTime}. */
  long headSinceNanos() {
    return headSinceNanos;
  }

  /** Records that are not done. */
  int unfinished() {
    return unfinished;
  }

  /** An estimate of the heap that records not done hold, in bytes. */
  long unfinishedBytes() {
    return unfinishedBytes;
  }

  /** The first offset that was read, or -1. */
  long firstRead() {
    return firstRead;
  }

  /** The last offset that was read, or -1. */
  long lastRead() {
    return lastRead;
  }

  /** Whether a handler that runs is ending the process. */
  boolean endsTheProcess() {
    for (Work work = head; work != null; work = work.after) {
      if (work.endsTheProcess()) {
        return true;
      }
    }
    return false;
  }

  void forEachUnfinished(Consumer<Work> action) {
    Work work = head;
    while (work != null) {
      Work following = work.after;
      action.accept(work);
      work = following;
    }
  }
}
