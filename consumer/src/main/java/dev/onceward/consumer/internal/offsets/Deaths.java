package dev.onceward.consumer.internal.offsets;

/**
 * How often a process has died while a record was at work, and what that makes of the record. Each
 * death speaks against it, and each run that the process outlives speaks half as much for it: a
 * record that is merely long outlives most of its runs, one that kills hardly any. Not all of them,
 * though: one that kills after a while outlives the run that is cut short when its victim comes
 * back.
 *
 * @param atWork all deaths
 * @param suspicion two for each death, less one for each run outlived, but not below zero
 * @param alone the same, of the deaths with nothing beside it
 */
public record Deaths(int atWork, int suspicion, int alone) {

  /** None that is known of. */
  public static final Deaths NONE = new Deaths(0, 0, 0);

  private static final int DEATH = 2;

  /** Deaths among others after which it is to run alone. */
  private static final int ACCUSING = 2;

  /** Checks what is handed in. */
  public Deaths {
    if (atWork < 0 || alone < 0 || alone > suspicion) {
      throw new IllegalArgumentException(
          "no count of deaths: %d, suspicion %d, alone %d".formatted(atWork, suspicion, alone));
    }
  }

  /** The process has died once more. */
  public Deaths oneMore(boolean withNothingBeside) {
    return new Deaths(atWork + 1, suspicion + DEATH, alone + (withNothingBeside ? DEATH : 0));
  }

  /** A run has ended, well or not, and the process lives. */
  public Deaths oneOutlived() {
    return new Deaths(atWork, Math.max(0, suspicion - 1), Math.max(0, alone - 1));
  }

  /** Whether there are none. */
  public boolean isNone() {
    return atWork == 0;
  }

  /** Whether it may kill, so that a commit must name it before it starts. */
  public boolean isSuspect() {
    return suspicion > 0;
  }

  /** Whether it must run alone to be found out. */
  public boolean isAccused() {
    return suspicion >= ACCUSING * DEATH;
  }

  /** Whether as much speaks against it as so many deaths. */
  public boolean isSuspectOf(int deaths) {
    return suspicion >= deaths * DEATH;
  }

  /** Whether as much speaks against it as so many deaths alone. */
  public boolean isConvictedBy(int deathsAlone) {
    return alone >= deathsAlone * DEATH;
  }
}
