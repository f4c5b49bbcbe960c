package dev.onceward.consumer.internal.offsets;

import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one partition beside its committed offset. A hint: what it calls done was done,
 * what it does not is redone. Immutable.
 */
public final class CommitNote {

  /** Nothing known: nothing done, no attempts, closed. */
  public static final CommitNote NONE = new CommitNote(false, false, -1, DoneRuns.NONE, List.of());

  /** More unfinished records than any owner has, but for a note that was crafted. */
  private static final long MOST_UNREAD = 200_000;

  private final boolean open;
  private final boolean alone;
  private final int leaderEpoch;
  private final DoneRuns done;
  private final List<Entry> entries;
  private final List<Long> started;

  CommitNote(boolean open, boolean alone, int leaderEpoch, DoneRuns done, List<Entry> entries) {
    this.open = open;
    this.alone = alone;
    this.leaderEpoch = leaderEpoch;
    this.done = done;
    this.entries = List.copyOf(entries);
    this.started = this.entries.stream().filter(Entry::started).map(Entry::offset).toList();
  }

  /** What it says when its owner is known to live: nothing has died. */
  public CommitNote withoutDeath() {
    List<Entry> alive =
        entries.stream()
            .filter(entry -> entry.attempts() > 0 || !entry.deaths().isNone())
            .map(e -> new Entry(e.offset(), e.attempts(), e.deaths(), false))
            .toList();
    return new CommitNote(false, false, leaderEpoch, done, alive);
  }

  /** Whether the owner that wrote it was still at work. */
  public boolean open() {
    return open;
  }

  /** Whether the one started record ran with nothing beside it. */
  public boolean alone() {
    return alone;
  }

  /** The highest leader epoch of the records it calls done, -1 when unknown. */
  public int leaderEpoch() {
    return leaderEpoch;
  }

  /** Whether the record at the offset is done; never so below the committed offset. */
  public boolean isDone(long offset) {
    return done.contains(offset);
  }

  /** How many failed attempts an unfinished record has used up, 0 when nothing is known of it. */
  public int attempts(long offset) {
    Entry entry = entry(offset);
    return entry == null ? 0 : entry.attempts();
  }

  /** The deaths of a record's processes; when the owner has died, this one among them. */
  public Deaths deaths(long offset) {
    Entry entry = entry(offset);
    return entry == null ? Deaths.NONE : deaths(entry);
  }

  private Deaths deaths(Entry entry) {
    return open && entry.started() ? entry.deaths().oneMore(alone) : entry.deaths();
  }

  /** The offsets of the records that had started, ascending. Unmodifiable. */
  public List<Long> started() {
    return started;
  }

  /** How many offsets it calls done, those without a record among them. */
  public long doneAbove() {
    return done.count();
  }

  /**
   * What it says of the records from the offset on, for an owner that commits before it has read
   * them.
   */
  public Rest from(long offset) {
    int run = 0;
    while (run < done.size() && done.to(run) <= offset) {
      run++;
    }
    LongStream.Builder unfinished = LongStream.builder();
    long left = MOST_UNREAD;
    long next = offset;
    long end = 0;
    for (; run < done.size() && done.from(run) - next <= left; run++) {
      left -= Math.max(0, done.from(run) - next);
      LongStream.range(next, done.from(run)).forEach(unfinished::add);
      next = done.to(run);
      end = next;
    }
    return new Rest(end, unfinished.build().toArray(), entriesFrom(offset));
  }

  private List<Entry> entriesFrom(long offset) {
    List<Entry> rest = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.offset() >= offset) {
        rest.add(new Entry(entry.offset(), entry.attempts(), deaths(entry), false));
      }
    }
    return rest;
  }

  /**
   * The part of a note that speaks of records not read yet.
   *
   * @param end one past the highest finished record, or 0 when none is finished
   * @param unfinished the offsets up to {@code end} that are not finished, ascending
   * @param entries the unfinished records that there is something to say of; those that had started
   *     when their process died have died once more
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on at once and never compared
  public record Rest(long end, long[] unfinished, List<Entry> entries) {}

  private @Nullable Entry entry(long offset) {
    int low = 0;
    int high = entries.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Entry entry = entries.get(middle);
      if (entry.offset() == offset) {
        return entry;
      }
      if (entry.offset() < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return (open ? "open" : "closed")
        + (alone ? ", alone" : "")
        + ", leader epoch "
        + leaderEpoch
        + ", done above: "
        + done.count()
        + " in "
        + done.size()
        + " runs, unfinished with a history: "
        + entries.size()
        + ", started: "
        + started.size();
  }
}
