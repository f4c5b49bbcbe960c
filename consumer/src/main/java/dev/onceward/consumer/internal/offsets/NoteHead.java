package dev.onceward.consumer.internal.offsets;

import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes what comes before the done set: flags, leader epoch and entries.
 *
 * <p>The entries are columns: their distances, then attempts and marks, then deaths. Columns of
 * like numbers deflate better, and where every unfinished record has an entry the distances are the
 * very lengths of the runs between them.
 */
final class NoteHead {

  /** Attempts stand above the two marks of an entry. */
  static final int ATTEMPTS_SHIFT = 2;

  static final int STARTED = 1;
  static final int CRASHED = 1 << 1;

  private final NoteContent content;
  private final int guards;

  NoteHead(NoteContent content) {
    this.content = content;
    this.guards = (int) content.entries().stream().filter(Entry::guardsAgainstCrashes).count();
  }

  long base() {
    return content.base();
  }

  int entries() {
    return content.entries().size();
  }

  /** Whether it says no more than that there is nothing to say. */
  boolean isBlank() {
    return !content.open() && content.leaderEpoch() < 0 && content.entries().isEmpty();
  }

  /**
   * Writes it.
   *
   * @param kept how many entries to write; when not all, those that guard against crash loops come
   *     first, then those of the lowest offsets
   * @param doneForm the flag of the form in which a done set follows, or 0 for none
   */
  ByteWriter write(int kept, int doneForm) {
    List<Entry> entries = kept(kept);
    ByteWriter out = new ByteWriter(16 + 4 * entries.size());
    int flags = doneForm;
    flags |= content.open() ? NoteFlags.OPEN : 0;
    flags |= content.alone() && hasOneStarted(entries) ? NoteFlags.ALONE : 0;
    flags |= content.leaderEpoch() >= 0 ? NoteFlags.EPOCH : 0;
    flags |= entries.isEmpty() ? 0 : NoteFlags.ENTRIES;
    out.write(flags);
    if (content.leaderEpoch() >= 0) {
      out.writeVarint(content.leaderEpoch());
    }
    if (!entries.isEmpty()) {
      write(entries, out);
    }
    return out;
  }

  private void write(List<Entry> entries, ByteWriter out) {
    out.writeVarint(entries.size());
    long next = content.base();
    for (Entry entry : entries) {
      out.writeVarint(entry.offset() - next);
      next = entry.offset() + 1;
    }
    for (Entry entry : entries) {
      int marks = (entry.started() ? STARTED : 0) | (!entry.deaths().isNone() ? CRASHED : 0);
      int attempts = Math.min(entry.attempts(), NoteFlags.MAX_COUNT);
      out.writeVarint((attempts << ATTEMPTS_SHIFT) | marks);
    }
    for (Entry entry : entries) {
      Deaths deaths = entry.deaths();
      if (!deaths.isNone()) {
        out.writeVarint(Math.min(deaths.atWork(), NoteFlags.MAX_COUNT));
        out.writeVarint(Math.min(deaths.suspicion(), NoteFlags.MAX_COUNT));
        out.writeVarint(Math.min(deaths.alone(), NoteFlags.MAX_COUNT));
      }
    }
  }

  private List<Entry> kept(int kept) {
    if (kept >= entries()) {
      return content.entries();
    }
    int guardsLeft = Math.min(kept, guards);
    int othersLeft = kept - guardsLeft;
    List<Entry> chosen = new ArrayList<>(kept);
    for (Entry entry : content.entries()) {
      if (entry.guardsAgainstCrashes()) {
        if (guardsLeft-- > 0) {
          chosen.add(entry);
        }
      } else if (othersLeft-- > 0) {
        chosen.add(entry);
      }
    }
    return chosen;
  }

  private static boolean hasOneStarted(List<Entry> entries) {
    int started = 0;
    for (Entry entry : entries) {
      started += entry.started() ? 1 : 0;
    }
    return started == 1;
  }
}
