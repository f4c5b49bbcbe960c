package dev.onceward.consumer.internal.offsets;

import java.util.List;

/**
 * What there is to say of one partition beside its committed offset.
 *
 * <p>Made for every commit of every partition, so the array of offsets is not copied: whoever hands
 * it in leaves it alone from then on.
 *
 * @param open whether the owner is still at work; false when it gave the partition up cleanly
 * @param alone whether the one started record runs with nothing beside it; written only when
 *     exactly one entry is started
 * @param leaderEpoch the highest leader epoch of the finished records, -1 when unknown
 * @param base the committed offset
 * @param end one past the highest finished record; {@code base} when nothing above it is finished
 * @param unfinished the offsets in [base, end) that are not finished, ascending; all others in that
 *     range count as finished, those without a record too
 * @param entries the unfinished records that there is something to say of, ascending; they may also
 *     lie at or above {@code end}
 */
@SuppressWarnings("ArrayRecordComponent") // no boxing, and never compared
public record NoteContent(
    boolean open,
    boolean alone,
    int leaderEpoch,
    long base,
    long end,
    long[] unfinished,
    List<Entry> entries) {

  /**
   * Checks what is handed in.
   *
   * @throws IllegalArgumentException when offsets are out of order or out of range, or an entry is
   *     of a record that counts as finished
   */
  public NoteContent {
    entries = List.copyOf(entries);
    require(leaderEpoch >= -1, "leader epoch below -1: ", leaderEpoch);
    require(base >= 0, "negative committed offset ", base);
    require(end >= base, "the end lies below the committed offset: ", end);
    long last = base - 1;
    for (long offset : unfinished) {
      require(offset > last, "unfinished offset below its forerunner or the base: ", offset);
      last = offset;
    }
    require(last < end || unfinished.length == 0, "unfinished offset at or above the end: ", last);
    requireUnfinished(entries, base, end, unfinished);
  }

  private static void requireUnfinished(
      List<Entry> entries, long base, long end, long[] unfinished) {
    long last = base - 1;
    int i = 0;
    for (Entry entry : entries) {
      long offset = entry.offset();
      require(offset > last, "entry below its forerunner or the base: ", offset);
      last = offset;
      if (offset < end) {
        while (i < unfinished.length && unfinished[i] < offset) {
          i++;
        }
        require(
            i < unfinished.length && unfinished[i] == offset,
            "entry of a record that counts as finished: ",
            offset);
      }
    }
    require(last < Long.MAX_VALUE, "no offset of a record: ", last);
  }

  private static void require(boolean holds, String what, long value) {
    if (!holds) {
      throw new IllegalArgumentException(what + value);
    }
  }

  /**
   * What is known of one unfinished record.
   *
   * @param offset its offset
   * @param attempts how many failed attempts it has used up
   * @param deaths how often its process has died
   * @param started whether it is running, or may be
   */
  public record Entry(long offset, int attempts, Deaths deaths, boolean started) {

    /** Checks what is handed in. */
    public Entry {
      require(attempts >= 0, "negative attempts: ", attempts);
    }

    /** Whether losing it could let a record that kills the process do so without end. */
    boolean guardsAgainstCrashes() {
      return started || !deaths.isNone();
    }
  }
}
