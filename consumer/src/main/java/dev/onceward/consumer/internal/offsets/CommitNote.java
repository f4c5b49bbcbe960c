package dev.onceward.consumer.internal.offsets;

import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one partition beside its committed offset. A hint: what it calls done was done,
 * what it does not is redone. Immutable.
 */
public final class CommitNote {

  /** Nothing known: nothing done, no attempts, closed. */
  public static final CommitNote NONE = new CommitNote(false, false, -1, DoneRuns.NONE, List.of());

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

  /** How often the process died while the record ran alone, 0 when nothing is known of it. */
  public int crashes(long offset) {
    Entry entry = entry(offset);
    return entry == null ? 0 : entry.crashes();
  }

  /** The offsets of the records that had started, ascending. Unmodifiable. */
  public List<Long> started() {
    return started;
  }

  /** How many offsets it calls done, those without a record among them. */
  public long doneAbove() {
    return done.count();
  }

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
