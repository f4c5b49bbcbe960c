package dev.onceward.it.guarantee;

/**
 * One promise of the engine, in words and as a check. It is told of the runs one at a time, in the
 * order in which they happen, and judges at the end, when all records are done.
 */
interface Guarantee {

  /** A run is about to begin. What the observer knows does not contain it yet. */
  default void begun(Run run) {}

  /** A run has ended. What the observer knows does not contain it yet. */
  default void ended(Run run, End end) {}

  /** Reports each breach. Called once, after the last run. */
  void check(Findings findings);

  default String name() {
    return getClass().getSimpleName();
  }
}
