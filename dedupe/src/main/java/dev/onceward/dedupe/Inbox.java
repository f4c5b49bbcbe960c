package dev.onceward.dedupe;

import java.sql.Connection;
import java.time.Duration;

/** Applies an event's effect at most once, in one database transaction. Thread-safe. */
public interface Inbox {

  /** Runs {@code effect} in a transaction with the entry's dedupe row and version, or skips it. */
  InboxOutcome process(InboxEntry entry, Effect effect) throws Exception;

  /**
   * Checks that the database can be reached and the schema is there; throws with a one-line
   * message.
   */
  void verify(Duration timeout) throws InboxUnavailableException;

  /** What a handler does with the open transaction. */
  @FunctionalInterface
  interface Effect {
    void apply(Connection tx) throws Exception;
  }
}
