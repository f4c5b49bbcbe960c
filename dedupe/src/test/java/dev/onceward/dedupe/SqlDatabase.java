package dev.onceward.dedupe;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database of its own for a test class, on a real server of the test JVM. */
public abstract class SqlDatabase implements BeforeAllCallback, AfterAllCallback {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String name = "test_" + COUNT.incrementAndGet();
  private final List<HikariDataSource> pools = new ArrayList<>();
  private boolean prepared;

  @Override
  public void beforeAll(ExtensionContext context) throws SQLException {
    create();
  }

  /** For tests that JUnit's extensions do not reach. Harmless when it was called before. */
  public abstract void create() throws SQLException;

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getRequiredTestClass().getEnclosingClass() == null) { // not after each nested one
      close();
    }
  }

  public void close() {
    pools.forEach(HikariDataSource::close);
    pools.clear();
  }

  public String name() {
    return name;
  }

  /** Connections of the superuser without a pool, each new. */
  public abstract DataSource plain();

  /** The same, with sessions of that isolation level. */
  abstract DataSource withSessions(TransactionIsolation isolation);

  /** The same, with sessions that are so many hours ahead of UTC, or behind it. */
  abstract DataSource withSessionsAhead(int hours);

  /** An inbox whose transactions have that level, however the database is told. */
  JdbcInbox.Builder inbox(TransactionIsolation isolation) {
    return JdbcInbox.builder(plain()).isolation(isolation);
  }

  /** How often the inbox's own statements may have to be repeated because they deadlocked. */
  int deadlocks() {
    return 50;
  }

  public HikariDataSource pool(int size) {
    return pool(size, plain());
  }

  public HikariDataSource pool(int size, DataSource source) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(30_000);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  /** Creates the tables of {@link Events} and of the inbox when called first, and empties them. */
  void reset() throws SQLException {
    if (!prepared) {
      createLedger();
      JdbcInbox.on(plain()).createSchema();
      prepared = true;
    }
    for (String table :
        List.of(
            "ledger",
            "state",
            "onceward_processed_event",
            "onceward_entity_version",
            "onceward_fence")) {
      execute("DELETE FROM " + table);
    }
    execute("UPDATE onceward_window SET kept_from = -2147483647");
  }

  /** ledger (id, which grows; account; amount) and state (name, its key; amount). */
  abstract void createLedger() throws SQLException;

  /** Inserts a key and a value, or sets the value: two parameters. */
  abstract String upsert(String table, String key, String value);

  abstract String quoted(String name);

  /** Lets {@link Inbox#maintain} forget what it has noted. */
  void letTheNoteAge() throws SQLException {
    execute("UPDATE onceward_window SET raised_at = raised_at - 3600");
  }

  /** Fills the dedupe table with rows that no event has. */
  void fill(String table, int rows, int bucket) throws SQLException {
    try (Connection connection = plain().getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "INSERT INTO " + table + " (handler, bucket, event_key) VALUES (1, ?, ?)")) {
      connection.setAutoCommit(false);
      for (int i = 0; i < rows; i++) {
        statement.setInt(1, bucket);
        bindKey(statement, i);
        statement.addBatch();
      }
      statement.executeBatch();
      connection.commit();
    }
  }

  abstract void bindKey(PreparedStatement statement, int number) throws SQLException;

  /** How many statements wait for a lock. */
  abstract long blocked() throws SQLException;

  void awaitBlocked(int statements) {
    await().until(() -> blocked() == statements);
  }

  public void execute(String... statements) throws SQLException {
    execute(plain(), statements);
  }

  static void execute(DataSource source, String... statements) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of the first row. */
  public String text(String sql) throws SQLException {
    List<String> rows = texts(sql);
    if (rows.isEmpty()) {
      throw new AssertionError("no row for: " + sql);
    }
    return rows.get(0);
  }

  public long number(String sql) throws SQLException {
    return Long.parseLong(text(sql));
  }

  /** The first column of all rows. */
  public List<String> texts(String sql) throws SQLException {
    try (Connection connection = plain().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }

  /** All columns of all rows, sorted. */
  List<String> rows(String sql) throws SQLException {
    return rows(plain(), sql);
  }

  static List<String> rows(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          @Nullable Object value = rows.getObject(i);
          row.append(value instanceof byte[] bytes ? Arrays.toString(bytes) : value).append(' ');
        }
        values.add(row.toString());
      }
      values.sort(String::compareTo);
      return values;
    }
  }
}
