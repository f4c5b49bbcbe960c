package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * What differs between databases. Methods work on a connection they are lent, inside the
 * transaction that is open on it, and do not commit unless they say so.
 */
public interface Dialect {

  /** The first statement of an effect's transaction: settings, dedupe key and version in one. */
  Verdict claim(Connection connection, Claim claim) throws SQLException;

  /** Registers a handler id; harmless when it is registered already or at the same time. */
  void registerHandler(Connection connection, String handlerId) throws SQLException;

  /** Watches the transaction that is open on the connection, or about to open. */
  TransactionProbe probe(Connection connection) throws SQLException;

  /**
   * Runs everything {@link #claim} and {@link #registerHandler} need without writing a row.
   *
   * @throws SQLException if a table, column or privilege is missing or the database is read-only
   */
  void rehearse(Connection connection, Duration timeout) throws SQLException;

  /** The inbox's tables that are not there. */
  List<String> missingTables(Connection connection) throws SQLException;

  /** Creates what is missing in one transaction that waits for concurrent creators; commits. */
  void createSchema(Connection connection) throws SQLException;

  /**
   * Deletes old dedupe rows, each batch in a transaction of its own; the connection autocommits.
   */
  long prune(Connection connection, Duration olderThan, int batchSize) throws SQLException;
}
