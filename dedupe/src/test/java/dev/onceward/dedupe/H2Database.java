package dev.onceward.dedupe;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** H2 in memory. */
final class H2Database extends SqlDatabase {
  private static final String URL = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";

  private final String options;

  H2Database() {
    this("");
  }

  /** Options of the URL, each behind a semicolon. */
  H2Database(String options) {
    this.options = options;
  }

  @Override
  public void create() {}

  @Override
  public void close() {
    super.close();
    try {
      execute("SHUTDOWN");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public DataSource plain() {
    return dataSource("");
  }

  @Override
  DataSource withSessions(TransactionIsolation isolation) {
    return dataSource(
        ";INIT=SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + isolation.sql());
  }

  @Override
  DataSource withSessionsAhead(int hours) {
    return dataSource(";INIT=SET TIME ZONE '%+03d:00'".formatted(hours));
  }

  private DataSource dataSource(String more) {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setUrl(URL.formatted(name()) + options + more);
    dataSource.setUser("sa");
    return dataSource;
  }

  @Override
  JdbcInbox.Builder inbox(TransactionIsolation isolation) {
    return JdbcInbox.builder(withSessions(isolation));
  }

  @Override
  void createLedger() throws SQLException {
    execute(
        "CREATE TABLE ledger (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
            + " account VARCHAR(20000), amount BIGINT)",
        "CREATE TABLE state (name VARCHAR(100) PRIMARY KEY, amount BIGINT)");
  }

  @Override
  String upsert(String table, String key, String value) {
    return "MERGE INTO %s (%s, %s) VALUES (?, ?)".formatted(table, key, value);
  }

  @Override
  String quoted(String name) {
    return '"' + name + '"';
  }

  @Override
  void bindKey(PreparedStatement statement, int number) throws SQLException {
    statement.setObject(2, new UUID(number, 0));
  }

  @Override
  long blocked() throws SQLException {
    return number(
        "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE BLOCKER_ID IS NOT NULL"
            // it does not tell who waits for a key of an index
            + " OR EXECUTING_STATEMENT LIKE 'INSERT %'");
  }
}
