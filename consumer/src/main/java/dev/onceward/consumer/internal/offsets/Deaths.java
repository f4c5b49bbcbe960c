package dev.onceward.consumer.internal.offsets;

/**
 * How often a process has died while a record was at work. Only the deaths with nothing beside it
 * count against it; the others are reason to let it run alone.
 *
 * @param atWork all of them
 * @param alone those with nothing beside it
 */
public record Deaths(int atWork, int alone) {

  /** None that is known of. */
  public static final Deaths NONE = new Deaths(0, 0);

  /** Notes tell both as one number. */
  private static final int UNIT = 1_000;

  private static final int MOST_ALONE = 900;

  /** What a note tells. */
  public static Deaths of(int told) {
    return new Deaths(told % UNIT, told / UNIT);
  }

  /** The number that stands in a note. */
  public int told() {
    return Math.min(alone, MOST_ALONE) * UNIT + Math.min(atWork, UNIT - 1);
  }

  /** The process has died once more. */
  public Deaths oneMore(boolean withNothingBeside) {
    return new Deaths(atWork + 1, alone + (withNothingBeside ? 1 : 0));
  }
}
