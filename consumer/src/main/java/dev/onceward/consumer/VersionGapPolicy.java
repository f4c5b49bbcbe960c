package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What becomes of an event whose entity's version before its own has not been applied, where a
 * handler takes versions one after the other ({@link VersionGuard.Mode#NEXT}). The event is set
 * aside and tried again after each later event of its key and from time to time; it uses up no
 * attempts meanwhile, and events behind it in its partition go on, so that the missing one can
 * come.
 *
 * @param maxWait how long it is set aside at most; default one minute. Counted anew after a restart
 *     or when the partition moves
 * @param then what follows; default {@link Then#DEAD_LETTER}
 */
public record VersionGapPolicy(Duration maxWait, Then then) {

  /** What follows when a gap was not filled in time. */
  public enum Then {
    /** The record is dead-lettered with reason {@link DeadLetterReason#VERSION_GAP}. */
    DEAD_LETTER,
    /** The event is applied; those of the versions in between are stale from then on. */
    APPLY
  }

  /** Checks the values. */
  public VersionGapPolicy {
    requireNonNull(then, "then");
    if (maxWait.isNegative()) {
      throw new IllegalArgumentException(
          "VersionGapPolicy.maxWait must not be negative, but is " + maxWait);
    }
  }

  /** The defaults named above. */
  public static VersionGapPolicy standard() {
    return new VersionGapPolicy(Duration.ofMinutes(1), Then.DEAD_LETTER);
  }
}
