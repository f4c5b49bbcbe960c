package dev.onceward.consumer;

/** What happens to an event whose type no handler takes. */
public enum UnhandledEvents {
  /** It is skipped and counted. */
  SKIP,
  /** It is dead-lettered. */
  DEAD_LETTER
}
