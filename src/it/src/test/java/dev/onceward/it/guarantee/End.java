package dev.onceward.it.guarantee;

/** How a run ended. */
enum End {
  /** The handler returned and its effect is committed. */
  SUCCEEDED,
  /** The inbox knew the event: it had taken effect before. */
  SKIPPED,
  /** It failed as its plan says. */
  FAILED,
  /** It was interrupted, or its lease was lost, or something else than its plan broke it. */
  CUT_SHORT,
  /** Its process died. */
  VANISHED;

  /** Whether the record needs no further run. */
  boolean isFinish() {
    return this == SUCCEEDED || this == SKIPPED;
  }
}
