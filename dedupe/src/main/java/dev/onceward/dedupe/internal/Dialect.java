package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What differs between databases: which statements find and write the inbox's rows. What follows
 * from what they find is decided elsewhere, once for all. Methods work on a connection they are
 * lent, inside the transaction that is open on it, and do not commit unless they say so. Rows are
 * locked in the order of the sorted collections. A method that cannot tell what to write because a
 * concurrent transaction got in between throws an exception with SQLSTATE 40001: the whole
 * transaction is repeated.
 */
public interface Dialect {

  /** Which database it is for; null while that is not known. */
  @Nullable Database database();

  /** What a failure means: its SQLSTATE, or the one that PostgreSQL would give in its place. */
  default String sqlState(SQLException failure) {
    return SqlStates.of(failure);
  }

  /** Which statements a handler may run. */
  SqlRules rules();

  /**
   * The first statement of an effect's transaction, or the first few. Sets the time limits and the
   * batch's settings for the transaction, and reports settings that had a value before; inserts the
   * dedupe rows that are missing and within the window; locks the version rows and reads them; and
   * reads the fences without a lock. When a handler is unknown the rest need not be done.
   */
  Facts claim(Connection connection, Batch batch) throws SQLException;

  /**
   * Deletes the dedupe rows that are taken back and writes the versions; not called with nothing to
   * do.
   */
  void settle(Connection connection, Settlement settlement) throws SQLException;

  /**
   * The last statement before the commit: locks the fences against being taken, and moves the
   * offset of each that is to move, has the epoch expected and stores no greater offset than {@link
   * FenceClaim#lowest}.
   *
   * @return what was found under the lock, before moving; without an entry where there is no row
   */
  Map<FenceKey, FenceState> confirm(Connection connection, List<FenceClaim> fences)
      throws SQLException;

  /** Takes a fence, waiting no longer for locks than effects do; the caller commits. */
  FenceState takeFence(Connection connection, FenceScope scope) throws SQLException;

  /** Registers handler ids; harmless when they are registered already or at the same time. */
  void registerHandlers(Connection connection, Collection<String> handlerIds) throws SQLException;

  /** Watches the transaction that is open on the connection, or about to open. */
  TransactionProbe probe(Connection connection) throws SQLException;

  /**
   * Runs everything that effects need without writing a row.
   *
   * @return how much time a bucket of the tables holds, in seconds
   * @throws SQLException if a table, column or privilege is missing or the database is read-only
   */
  int rehearse(Connection connection, Duration timeout) throws SQLException;

  /**
   * Looks at a handler's table without reading or locking a row.
   *
   * @throws SQLException if the table, a column or a privilege is missing
   */
  void look(Connection connection, GuardedRow row) throws SQLException;

  /** The inbox's tables that are not there. */
  List<String> missingTables(Connection connection) throws SQLException;

  /** Creates what is missing, also when others do so at the same time; commits. */
  void createSchema(Connection connection) throws SQLException;

  /**
   * Makes room for new dedupe rows, forgets those beyond the window, and notes what it forgets
   * before it does; commits as it goes. Stops early, between two steps, when the thread is
   * interrupted.
   */
  void maintain(Connection connection) throws SQLException;
}
