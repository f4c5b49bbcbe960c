package dev.onceward.dedupe;

/**
 * What becomes of an idempotent event that is older than the dedupe window: its dedupe row, if
 * there ever was one, may be gone, so nobody can tell whether it took effect before. The database's
 * clock and what it has dropped decide what is older. Events whose time is not known have no age
 * and are never older.
 */
public enum BeyondWindow {
  /** Nothing is done: the outcome is {@link InboxOutcome#WINDOW_EXCEEDED}. The default. */
  DEAD_LETTER,
  /**
   * The version guard alone decides, which never forgets; no dedupe row is written. An entry
   * without a version is treated as with {@link #DEAD_LETTER}.
   */
  VERSION_GUARD,
  /**
   * The effect is applied without a dedupe row, so each delivery applies it again; a version guard,
   * if the entry has one, still holds.
   */
  PROCESS
}
