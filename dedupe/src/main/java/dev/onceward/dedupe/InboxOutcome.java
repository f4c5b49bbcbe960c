package dev.onceward.dedupe;

/** What became of an effect. Every outcome is final: the event can be acknowledged. */
public enum InboxOutcome {
  /** The effect is committed. */
  APPLIED,
  /** The event had taken effect before; nothing was done. */
  DUPLICATE,
  /**
   * A newer or equal version of the entity had been applied before; nothing was done and no dedupe
   * row was written, so the same event is stale again when it comes again.
   */
  STALE
}
