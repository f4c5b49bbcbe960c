package dev.onceward.consumer.internal.offsets;

/**
 * How often a process has died while a record was at work. Only the deaths with nothing beside it
 * count against it, and only until it has run often enough without a death; the others are reason
 * to let it run alone.
 *
 * @param atWork all of them
 * @param alone those with nothing beside it, since it was last cleared of them
 * @param survived runs since the last death that the process has outlived, whatever came of them
 */
public record Deaths(int atWork, int alone, int survived) {

  /** None that is known of. */
  public static final Deaths NONE = new Deaths(0, 0, 0);

  /**
   * So many runs in a row clear a record of the deaths alone. One is not enough: a record that
   * kills after a while outlives the run that the return of its victim cuts short.
   */
  private static final int CLEARING = 3;

  /** Checks what is handed in. */
  public Deaths {
    if (alone < 0 || alone > atWork || survived < 0) {
      throw new IllegalArgumentException(
          "no count of deaths: %d, %d of them alone, survived %d"
              .formatted(atWork, alone, survived));
    }
  }

  /** The process has died once more. */
  public Deaths oneMore(boolean withNothingBeside) {
    return new Deaths(atWork + 1, alone + (withNothingBeside ? 1 : 0), 0);
  }

  /** A run has ended, and the process lives. */
  public Deaths outlived() {
    if (alone == 0) {
      return this;
    }
    return survived + 1 < CLEARING
        ? new Deaths(atWork, alone, survived + 1)
        : new Deaths(atWork, 0, 0);
  }

  /** Whether there are none. */
  public boolean isNone() {
    return atWork == 0;
  }
}
