package dev.onceward.dedupe;

import dev.onceward.dedupe.hygiene.HygieneCounts;
import dev.onceward.dedupe.hygiene.PoolFigures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Applies an event's effect at most once, in one database transaction. Together with at-least-once
 * delivery (acknowledge an event only after {@link #process} has returned) every event takes effect
 * exactly once. Implementations are thread-safe.
 */
public interface Inbox {

  /**
   * Opens a transaction, claims the event (dedupe row and entity version, as {@code entry} asks),
   * runs {@code effect} in the same transaction and commits; or skips the effect, and says why. A
   * duplicate is reported as a duplicate even when it is also stale.
   *
   * <p>Returning means: the outcome is final and the event may be acknowledged, except for {@link
   * InboxOutcome#GAP}. Throwing means: deliver the event again. Nothing was committed then, except
   * when the connection was lost while the commit was under way; the dedupe row decides that case
   * when the event comes again.
   *
   * <p>{@code effect} runs on the calling thread. It may run more than once: after a serialization
   * failure, a deadlock or a lock timeout (SQLSTATE 40001, 40P01, 55P03) the whole transaction is
   * rolled back and repeated, up to a limit.
   *
   * @throws InboxUnavailableException if the database cannot do its part: no connection, connection
   *     lost, tables missing, read-only, a setting leaked onto the connection
   * @throws dev.onceward.dedupe.hygiene.HygieneViolationException if the effect returned normally
   *     but left state on its connection that would outlive the transaction; nothing is committed
   * @throws CommitRefusedException if the effect returned normally but left a transaction that
   *     cannot be committed as a whole, or held it idle for too long
   * @throws FencedException if the entry's fence is not the newest of its scope any more
   * @throws InterruptedException if the thread is interrupted before the commit; rolled back
   * @throws SQLException if the commit itself is rejected, for example by a deferred constraint
   * @throws UnboundSettingException if the entry has a setting that the inbox does not bind
   * @throws Exception whatever {@code effect} throws, unchanged; a failure of the rollback is
   *     attached as suppressed
   */
  InboxOutcome process(InboxEntry entry, Effect effect) throws Exception;

  /**
   * Does the same for many events in one transaction, all or nothing: one statement claims them
   * all, {@code effect} runs once for those that are fresh, and one commit ends it. The outcomes
   * are those that {@link #process} would give to the entries one after the other, also when an
   * event or an entity occurs twice. When none is fresh, {@code effect} does not run.
   *
   * <p>The entries may have different handlers and fences, but must have equal settings. Throwing
   * means that nothing was committed for any of them (with the exception named at {@link
   * #process}); process them one by one to find the one that fails.
   *
   * @param entries what to apply, in the order in which it is to be judged; may be empty
   * @return one outcome for each entry, by position
   * @throws IllegalArgumentException if the entries' settings differ
   * @throws Exception as for {@link #process}
   */
  List<InboxOutcome> processAll(List<InboxEntry> entries, BatchEffect effect) throws Exception;

  /**
   * Takes the fence of a partition: from its return on, no effect under an earlier fence of the
   * same scope is committed any more. Waits for no handler, only for commits that are under way.
   *
   * @throws InboxUnavailableException if the database cannot be reached or refuses, or the thread
   *     is interrupted (the flag stays set)
   */
  Fence takeFence(FenceScope scope) throws InboxUnavailableException;

  /**
   * How long events are remembered at least, counted from their own time; empty: for ever. An
   * idempotent event that comes when it is older has the outcome that {@link BeyondWindow} says.
   */
  Optional<Duration> window();

  /**
   * Makes room for the events of the next days and forgets those beyond {@link #window}. Call it at
   * start and then every hour or so, in one instance or in several. What the inbox promises does
   * not depend on it; the size of its tables does. When the thread is interrupted it stops early
   * and leaves the flag set.
   *
   * @throws InboxUnavailableException if the database cannot be reached or refuses
   */
  void maintain() throws InboxUnavailableException;

  /**
   * Checks that the database can be reached, accepts writes, and has the tables and privileges that
   * {@link #process}, {@link #processAll} and {@link #takeFence} need. Changes nothing.
   *
   * @param timeout how long to wait at most, even for a data source that hangs; positive
   * @throws InboxUnavailableException if not; its message is one line that names what to fix
   */
  void verify(Duration timeout) throws InboxUnavailableException;

  /**
   * Checks that a handler's own table, which {@link InboxEntry.EntityVersion#onRow} guards on, has
   * the columns that are named. Changes nothing. By default nothing is checked.
   *
   * @param timeout how long to wait at most; positive
   * @throws InboxUnavailableException if not; its message is one line that names what to fix
   */
  default void verify(InboxEntry.GuardedRow row, Duration timeout)
      throws InboxUnavailableException {}

  /**
   * The names of the settings that {@link InboxEntry#settings} may have; empty when that is not
   * known.
   */
  default Optional<Set<String>> boundSettings() {
    return Optional.empty();
  }

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

  /** What handlers do for the fresh events of a batch. */
  @FunctionalInterface
  interface BatchEffect {
    /**
     * Applies the effects of all fresh events. Return to commit, throw to roll back.
     *
     * @param tx the open transaction, as for {@link Effect#apply}
     * @param fresh the positions of the entries whose effect is to be applied, ascending; not empty
     * @throws Exception to roll everything back
     */
    void apply(Connection tx, List<Integer> fresh) throws Exception;
  }
}
