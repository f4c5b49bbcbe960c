package dev.onceward.consumer;

/**
 * What follows when a handler leaves something on its thread; see {@link EventConsumer.Builder}.
 */
public enum OnThreadLeak {
  /** A warning is logged, once for each handler and kind and then at most every minute. */
  WARN,
  /**
   * The attempt fails too, with a {@link ThreadLeakException}, before the commit of a transaction.
   * For tests: an event of a handler that leaks always ends as a dead letter.
   */
  FAIL
}
