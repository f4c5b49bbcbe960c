package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** How a database writes what {@link PortableDialect} says. Thread-safe. */
public interface Flavor {

  /** Which database it is. */
  Database database();

  /**
   * Begins a transaction on a connection out of autocommit.
   *
   * @throws SQLException that {@link #sqlState} gives 25001 for if one is open already
   */
  void begin(Connection connection) throws SQLException;

  /** Watches the transaction that was begun, or is about to be. */
  TransactionProbe probe(Connection connection);

  /** What a failure means, as SQLSTATE of PostgreSQL. */
  String sqlState(SQLException failure);

  /** Which statements a handler may run. */
  SqlRules rules();

  /** A name as statements use it when it may be any. */
  String quoted(String name);

  /** The expression for the seconds since 1970, by the database's clock, as an integer. */
  String now();

  /** The expression for the schema of unqualified names. */
  String currentSchema();

  /** What makes a query lock its rows against being changed, while others may lock them too. */
  String lockAgainstChange();

  /** What ends a statement that is to delete so many rows at most. */
  String first(int rows);

  /** How many rows one insert may have, if it is to wait for concurrent inserts of its keys. */
  int rowsOfAnInsert();

  /** Whether a query that locks rows sees what they hold now, at every isolation level. */
  boolean locksSeeTheLatest();

  /** Binds a key of 128 bits. */
  void bind(PreparedStatement statement, int index, UUID key) throws SQLException;

  /** Reads a key of 128 bits. */
  UUID key(ResultSet row, int column) throws SQLException;

  /** Binds a name that is compared exactly, with its case and trailing spaces. */
  void bindName(PreparedStatement statement, int index, String name) throws SQLException;

  /** Reads such a name. */
  String name(ResultSet row, int column) throws SQLException;
}
