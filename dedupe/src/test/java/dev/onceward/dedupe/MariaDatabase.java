package dev.onceward.dedupe;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** MariaDB; tests are skipped where there is none. */
final class MariaDatabase extends SqlDatabase {
  private final String options;

  MariaDatabase() {
    this("");
  }

  /** Parameters of the URL of all connections, each behind an ampersand. */
  MariaDatabase(String options) {
    this.options = options;
  }

  @Override
  public void create() throws SQLException {
    assumeTrue(MariaServer.isInstalled(), MariaServer.MISSING);
    try (Connection connection = MariaServer.running().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE IF NOT EXISTS " + name());
    }
  }

  @Override
  public DataSource plain() {
    return dataSource("");
  }

  /** {@code more} of the URL's parameters, each behind an ampersand. */
  DataSource dataSource(String more) {
    try {
      return new MariaDbDataSource(MariaServer.running().url(name()) + options + more);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  DataSource withSessions(TransactionIsolation isolation) {
    return dataSource("&sessionVariables=tx_isolation='" + isolation.sql().replace(' ', '-') + "'");
  }

  @Override
  DataSource withSessionsAhead(int hours) {
    return dataSource("&sessionVariables=time_zone='%+03d:00'".formatted(hours));
  }

  @Override
  JdbcInbox.Builder inbox(TransactionIsolation isolation) {
    return isolation == TransactionIsolation.SERIALIZABLE
        ? JdbcInbox.builder(withSessions(isolation)) // which the inbox overrides
        : super.inbox(isolation);
  }

  @Override
  void createLedger() throws SQLException {
    execute(
        "CREATE TABLE ledger (id BIGINT AUTO_INCREMENT PRIMARY KEY, account TEXT, amount BIGINT)"
            + " CHARACTER SET utf8mb4",
        "CREATE TABLE state (name VARCHAR(100) PRIMARY KEY, amount BIGINT)");
  }

  @Override
  String upsert(String table, String key, String value) {
    return "INSERT INTO %1$s (%2$s, %3$s) VALUES (?, ?) ON DUPLICATE KEY UPDATE %3$s = VALUES(%3$s)"
        .formatted(table, key, value);
  }

  @Override
  String quoted(String name) {
    return '`' + name + '`';
  }

  @Override
  void bindKey(PreparedStatement statement, int number) throws SQLException {
    statement.setBytes(2, ByteBuffer.allocate(16).putInt(number).array());
  }

  @Override
  long blocked() throws SQLException {
    return number(
        "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p"
            + " ON p.id = t.trx_mysql_thread_id WHERE trx_state = 'LOCK WAIT' AND p.db = '"
            + name()
            + "'");
  }
}
