package dev.onceward.consumer.internal.offsets;

/**
 * How often a process has died while a record was at work. After two it is accused and runs with
 * nothing beside it; only the deaths alone convict it. Runs that the process outlives clear it.
 *
 * @param atWork all of them
 * @param accusing those since it was last cleared
 * @param alone those of them with nothing beside it
 * @param outlived runs since the last death that the process has outlived, whatever came of them
 */
public record Deaths(int atWork, int accusing, int alone, int outlived) {

  /** None that is known of. */
  public static final Deaths NONE = new Deaths(0, 0, 0, 0);

  /**
   * So many runs in a row clear a record. One is not enough: a record that kills after a while
   * outlives the run that is cut short when its victim comes back.
   */
  private static final int CLEARING = 3;

  /** Checks what is handed in. */
  public Deaths {
    if (alone < 0 || alone > accusing || accusing > atWork || outlived < 0) {
      throw new IllegalArgumentException(
          "no count of deaths: %d, %d accusing, %d alone, %d outlived"
              .formatted(atWork, accusing, alone, outlived));
    }
  }

  /** The process has died once more. */
  public Deaths oneMore(boolean withNothingBeside) {
    return new Deaths(atWork + 1, accusing + 1, alone + (withNothingBeside ? 1 : 0), 0);
  }

  /** A run has ended, and the process lives. */
  public Deaths oneOutlived() {
    if (accusing == 0) {
      return this;
    }
    return outlived + 1 < CLEARING
        ? new Deaths(atWork, accusing, alone, outlived + 1)
        : new Deaths(atWork, 0, 0, 0);
  }

  /** Whether there are none. */
  public boolean isNone() {
    return atWork == 0;
  }
}
