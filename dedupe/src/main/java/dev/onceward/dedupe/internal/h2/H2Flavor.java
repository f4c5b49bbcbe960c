package dev.onceward.dedupe.internal.h2;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.internal.SqlStates;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import dev.onceward.dedupe.internal.portable.Flavor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** H2, embedded or as a server. Thread-safe. */
public final class H2Flavor implements Flavor {
  private static final SqlRules RULES = new H2Rules();

  @Override
  public Database database() {
    return Database.H2;
  }

  /** A transaction begins by itself, in the isolation level of the session. */
  @Override
  public void begin(Connection connection) throws SQLException {
    if (H2Probe.transaction(connection) != null) {
      throw new SQLException("a transaction is open already", SqlStates.ACTIVE_TRANSACTION);
    }
  }

  @Override
  public TransactionProbe probe(Connection connection) {
    return new H2Probe(connection);
  }

  /** H2's own codes (org.h2.api.ErrorCode), several of which share a SQLSTATE or have none. */
  @Override
  public String sqlState(SQLException failure) {
    return switch (failure.getErrorCode()) {
      case 50200 -> SqlStates.LOCK_NOT_AVAILABLE; // LOCK_TIMEOUT_1
      case 90131 -> SqlStates.SERIALIZATION_FAILURE; // CONCURRENT_UPDATE_1
      case 42102, 42103, 42104 -> SqlStates.UNDEFINED_TABLE; // TABLE_OR_VIEW_NOT_FOUND...
      case 42122 -> "42703"; // COLUMN_NOT_FOUND_1
      case 90079 -> SqlStates.UNDEFINED_SCHEMA; // SCHEMA_NOT_FOUND_1
      case 90096 -> SqlStates.INSUFFICIENT_PRIVILEGE; // NOT_ENOUGH_RIGHTS_FOR_1
      case 90097 -> SqlStates.READ_ONLY_TRANSACTION; // DATABASE_IS_READ_ONLY
      case 90146, 90149 -> "3D000"; // DATABASE_NOT_FOUND...
      case 90067, 90098, 90121 -> "08006"; // CONNECTION_BROKEN_1, DATABASE_IS_CLOSED...
      default -> SqlStates.of(failure);
    };
  }

  @Override
  public SqlRules rules() {
    return RULES;
  }

  @Override
  public String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  @Override
  public String now() {
    return "CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP)) AS BIGINT)";
  }

  @Override
  public String currentSchema() {
    return "CURRENT_SCHEMA";
  }

  /** There is one kind of lock for a row. */
  @Override
  public String lockAgainstChange() {
    return " FOR UPDATE";
  }

  /** Not LIMIT, which half of its modes do not know. */
  @Override
  public String first(int rows) {
    return " FETCH FIRST " + rows + " ROWS ONLY";
  }

  /** Of several rows only the first one waits; those behind it fail at once. */
  @Override
  public int rowsOfAnInsert() {
    return 1;
  }

  /** Above READ COMMITTED they see the snapshot; only a change fails when that is outdated. */
  @Override
  public boolean locksSeeTheLatest() {
    return false;
  }

  @Override
  public void bind(PreparedStatement statement, int index, UUID key) throws SQLException {
    statement.setObject(index, key);
  }

  @Override
  public UUID key(ResultSet row, int column) throws SQLException {
    return row.getObject(column, UUID.class);
  }

  @Override
  public void bindName(PreparedStatement statement, int index, String name) throws SQLException {
    statement.setString(index, name);
  }

  @Override
  public String name(ResultSet row, int column) throws SQLException {
    return row.getString(column);
  }
}
