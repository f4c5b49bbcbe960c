package dev.onceward.dedupe;

import dev.onceward.dedupe.hygiene.HygieneCounts;
import dev.onceward.dedupe.hygiene.PoolFigures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Applies an event's effect at most once, in one database transaction. Together with at-least-once
 * delivery (acknowledge an event only after {@link #process} has returned) every event takes effect
 * exactly once. Implementations are thread-safe.
 */
public interface Inbox {

  /**
   * Opens a transaction, claims the event (dedupe row and entity version, as {@code entry} asks),
   * runs {@code effect} in the same transaction and commits; or skips the effect when the event is
   * a duplicate or stale. A duplicate is reported as a duplicate even when it is also stale.
   *
   * <p>Returning means: the outcome is final and the event may be acknowledged. Throwing means:
   * deliver the event again. Nothing was committed then, except when the connection was lost while
   * the commit was under way; the dedupe row decides that case when the event comes again.
   *
   * <p>{@code effect} runs on the calling thread. It may run more than once: after a serialization
   * failure, a deadlock or a lock timeout (SQLSTATE 40001, 40P01, 55P03) the whole transaction is
   * rolled back and repeated, up to a limit.
   *
   * @throws InboxUnavailableException if the database cannot do its part: no connection, connection
   *     lost, tables missing, read-only
   * @throws dev.onceward.dedupe.hygiene.HygieneViolationException if the effect returned normally
   *     but left state on its connection that would outlive the transaction; nothing is committed
   * @throws CommitRefusedException if the effect returned normally but left a transaction that
   *     cannot be committed as a whole
   * @throws InterruptedException if the thread is interrupted before the commit; rolled back
   * @throws SQLException if the commit itself is rejected, for example by a deferred constraint
   * @throws Exception whatever {@code effect} throws, unchanged; a failure of the rollback is
   *     attached as suppressed
   */
  InboxOutcome process(InboxEntry entry, Effect effect) throws Exception;

  /**
   * Checks that the database can be reached, accepts writes, and has the tables and privileges that
   * {@link #process} needs. Changes nothing.
   *
   * @param timeout how long to wait at most, even for a data source that hangs; positive
   * @throws InboxUnavailableException if not; its message is one line that names what to fix
   */
  void verify(Duration timeout) throws InboxUnavailableException;

  /** What the connection checks of this inbox have done; empty when there are none. */
  default Optional<HygieneCounts> hygiene() {
    return Optional.empty();
  }

  /**
   * How long effects wait for a connection, and how full the pool is; empty when that is not
   * measured. Quick, and safe on any thread.
   */
  default Optional<PoolFigures> pool() {
    return Optional.empty();
  }

  /** What a handler does with the open transaction. */
  @FunctionalInterface
  interface Effect {
    /**
     * Applies the effect. Return to commit, throw to roll back.
     *
     * @param tx the open transaction, valid until this method returns and only on this thread. It
     *     refuses {@code commit()}, {@code rollback()}, {@code close()} and settings that would
     *     outlive the transaction; savepoints are allowed.
     * @throws Exception to roll everything back
     */
    void apply(Connection tx) throws Exception;
  }
}
