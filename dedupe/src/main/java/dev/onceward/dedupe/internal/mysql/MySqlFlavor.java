package dev.onceward.dedupe.internal.mysql;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.TransactionIsolation;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.SqlStates;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import dev.onceward.dedupe.internal.portable.Flavor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/**
 * MySQL and MariaDB, with their own drivers or each other's. Thread-safe.
 *
 * <p>REPEATABLE READ, their default, locks gaps between rows, so that inserts of different events
 * wait for each other and deadlock; the inbox's transactions are READ COMMITTED.
 */
public final class MySqlFlavor implements Flavor {
  private static final SqlRules RULES = new MySqlRules();
  private static final int KEY_BYTES = 16;

  private final Database database;
  private final String isolation;

  public MySqlFlavor(Database database, InboxConfig config) {
    this.database = database;
    TransactionIsolation level =
        config.isolation() == null ? TransactionIsolation.READ_COMMITTED : config.isolation();
    this.isolation = "SET TRANSACTION ISOLATION LEVEL " + level.sql();
  }

  @Override
  public Database database() {
    return database;
  }

  /**
   * The level is set for one transaction. The server refuses that while one is open, before START
   * TRANSACTION could commit it; and without START TRANSACTION a level that was not used, because
   * something failed first, might be left behind for another transaction.
   */
  @Override
  public void begin(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(isolation);
      statement.addBatch("START TRANSACTION");
      statement.addBatch("SAVEPOINT " + SavepointProbe.NAME);
      statement.executeBatch();
    }
  }

  @Override
  public TransactionProbe probe(Connection connection) {
    return new SavepointProbe(connection);
  }

  /** Servers' own codes, since many errors share SQLSTATE HY000 and drivers differ. */
  @Override
  public String sqlState(SQLException failure) {
    return switch (failure.getErrorCode()) {
      case 1205, 3572 -> SqlStates.LOCK_NOT_AVAILABLE; // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_NOWAIT
      // ER_LOCK_DEADLOCK; ER_CHECKREAD: MariaDB, when a snapshot is outdated
      case 1213, 1020 -> SqlStates.SERIALIZATION_FAILURE;
      case 1062, 1586 -> SqlStates.UNIQUE_VIOLATION; // ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME
      case 1568 -> SqlStates.ACTIVE_TRANSACTION; // ER_CANT_CHANGE_TX_CHARACTERISTICS
      case 1146, 1051 -> SqlStates.UNDEFINED_TABLE; // ER_NO_SUCH_TABLE, ER_BAD_TABLE_ERROR
      case 1054 -> "42703"; // ER_BAD_FIELD_ERROR
      case 1046, 1049 -> "3D000"; // ER_NO_DB_ERROR, ER_BAD_DB_ERROR
      case 1045, 1698 -> "28000"; // ER_ACCESS_DENIED_ERROR
      // ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS..., ER_COLUMNACCESS..., ER_SPECIFIC_ACCESS...
      case 1044, 1142, 1143, 1227 -> SqlStates.INSUFFICIENT_PRIVILEGE;
      // ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_READ_ONLY_MODE
      case 1290, 1792, 1836 -> SqlStates.READ_ONLY_TRANSACTION;
      case 1040, 1203, 1226 -> "53300"; // ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS...
      case 1053 -> "57P01"; // ER_SERVER_SHUTDOWN
      default -> SqlStates.of(failure);
    };
  }

  @Override
  public SqlRules rules() {
    return RULES;
  }

  @Override
  public String quoted(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  @Override
  public String now() {
    return "UNIX_TIMESTAMP()";
  }

  @Override
  public String currentSchema() {
    return "DATABASE()";
  }

  /** Spelled as MariaDB and MySQL both know it. */
  @Override
  public String lockAgainstChange() {
    return " LOCK IN SHARE MODE";
  }

  @Override
  public String first(int rows) {
    return " LIMIT " + rows;
  }

  /** More would make statements too long for some servers' default limits. */
  @Override
  public int rowsOfAnInsert() {
    return 500;
  }

  @Override
  public boolean locksSeeTheLatest() {
    return true;
  }

  @Override
  public void bind(PreparedStatement statement, int index, UUID key) throws SQLException {
    statement.setBytes(
        index,
        ByteBuffer.allocate(KEY_BYTES)
            .putLong(key.getMostSignificantBits())
            .putLong(key.getLeastSignificantBits())
            .array());
  }

  @Override
  public UUID key(ResultSet row, int column) throws SQLException {
    ByteBuffer bytes = ByteBuffer.wrap(row.getBytes(column));
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** As bytes: no collation that both servers know compares case and trailing spaces. */
  @Override
  public void bindName(PreparedStatement statement, int index, String name) throws SQLException {
    statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String name(ResultSet row, int column) throws SQLException {
    return new String(row.getBytes(column), StandardCharsets.UTF_8);
  }
}
