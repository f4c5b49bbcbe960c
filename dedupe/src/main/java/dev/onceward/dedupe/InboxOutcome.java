package dev.onceward.dedupe;

/** What became of an effect. */
public enum InboxOutcome {
  /** The effect is committed. */
  APPLIED,
  /** The event had taken effect before; nothing was done. */
  DUPLICATE,
  /** A newer or equal version of the entity had been applied before; nothing was done. */
  STALE
}
