package dev.onceward.consumer.internal.offsets;

import org.jspecify.annotations.Nullable;

/**
 * The longest prefix of a note that fits, within 1 % of the room: each try deflates anew, and sizes
 * of prefixes grow nearly evenly.
 *
 * @param packed the note
 * @param coveredTo the offset up to which it tells what is done
 */
record LongestFit(PackedBody packed, long coveredTo) {

  private static final int MAX_PROBES = 16;

  /** The longest prefix of at most so many bytes, or null when there is none. */
  static @Nullable LongestFit of(NoteForm form, int maxBytes) {
    PackedBody fitting = form.packed(0);
    if (fitting.size() > maxBytes) {
      return null;
    }
    int low = 0;
    int high = form.items();
    PackedBody whole = form.packed(high);
    if (whole.size() <= maxBytes) {
      return new LongestFit(whole, form.coveredTo(high));
    }
    int highSize = whole.size();
    for (int probe = 0; probe < MAX_PROBES && high - low > 1; probe++) {
      int room = maxBytes - fitting.size();
      if (room < maxBytes / 100) {
        break;
      }
      // by proportion; every other time by halves, which no unevenness can hold up
      long step =
          probe % 2 == 0
              ? (long) (high - low) * room / (highSize - fitting.size())
              : (high - low) / 2;
      int middle = low + (int) Math.max(1, Math.min(step, high - low - 1));
      PackedBody packed = form.packed(middle);
      if (packed.size() <= maxBytes) {
        low = middle;
        fitting = packed;
      } else {
        high = middle;
        highSize = packed.size();
      }
    }
    return new LongestFit(fitting, form.coveredTo(low));
  }
}
