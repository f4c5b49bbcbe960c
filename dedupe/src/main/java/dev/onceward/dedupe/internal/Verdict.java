package dev.onceward.dedupe.internal;

/** What the claim statement found. */
public enum Verdict {
  /** The effect is to be applied; the rows are written in the open transaction. */
  FRESH,
  DUPLICATE,
  STALE,
  /** The handler id is not registered yet; nothing was claimed. */
  UNKNOWN_HANDLER
}
