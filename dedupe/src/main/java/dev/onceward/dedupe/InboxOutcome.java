package dev.onceward.dedupe;

/**
 * What became of an effect. All but {@link #GAP} are final; {@link #WINDOW_EXCEEDED} asks for a
 * person's look, the others can be acknowledged as they are.
 */
public enum InboxOutcome {
  /** The effect is committed. */
  APPLIED,
  /** The event had taken effect before; nothing was done. */
  DUPLICATE,
  /**
   * A newer or equal version of the entity had been applied before; nothing was done and no dedupe
   * row was written, so the same event is stale again when it comes again.
   */
  STALE,
  /**
   * The version before this one has not been applied yet ({@link InboxEntry.Mode#NEXT}); nothing
   * was done and nothing was written. Not final: deliver the event again once the gap is filled.
   */
  GAP,
  /**
   * The event is older than the dedupe window, so whether it took effect before is not known any
   * more; nothing was done. See {@link BeyondWindow}.
   */
  WINDOW_EXCEEDED
}
