package dev.onceward.it.scene;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Effects in a database. The table has no unique key: an effect that is applied twice is there
 * twice. Each ledger is a schema of its own, the inbox's tables included.
 */
public final class Ledger implements AutoCloseable {

  private final HikariDataSource pool;

  private Ledger(HikariDataSource pool) {
    this.pool = pool;
  }

  /** Creates a ledger with a schema of its own. */
  public static Ledger in(DataSource database) {
    String schema = "ledger_" + UUID.randomUUID().toString().replace('-', '_');
    Ledger ledger = open(database, schema, 5_000);
    try (Connection connection = ledger.pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA " + schema);
      statement.execute("CREATE TABLE ledger (handler text, event_id text)");
      statement.execute("CREATE TABLE state (name text PRIMARY KEY, value text)");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    JdbcInbox.on(ledger.pool).createSchema();
    return ledger;
  }

  /** Opens a ledger that exists, in an application that must start on a busy machine. */
  public static Ledger open(DataSource database, String schema) {
    return open(database, schema, 30_000);
  }

  private static Ledger open(DataSource database, String schema, long connectionMillis) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database);
    config.setSchema(schema);
    config.setMaximumPoolSize(8);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(connectionMillis);
    // the schema is created through the pool itself
    config.setInitializationFailTimeout(-1);
    return new Ledger(new HikariDataSource(config));
  }

  public DataSource dataSource() {
    return pool;
  }

  public String schema() {
    return pool.getSchema();
  }

  /** An idempotent handler that adds a row for each event. */
  public LambdaHandlers billing(String topic) {
    return handler("billing", topic);
  }

  public LambdaHandlers handler(String id, String topic) {
    return LambdaHandlers.of(id, topic)
        .on(
            Scene.NOTED,
            Note.class,
            (Note note, Delivery delivery, Connection tx) -> add(tx, id, delivery.event().getId()),
            Guarantee.IDEMPOTENT);
  }

  public void add(Connection tx, String handler, String eventId) throws SQLException {
    try (PreparedStatement insert =
        tx.prepareStatement("INSERT INTO ledger (handler, event_id) VALUES (?, ?)")) {
      insert.setString(1, handler);
      insert.setString(2, eventId);
      insert.executeUpdate();
    }
  }

  public void set(Connection tx, String name, String value) throws SQLException {
    try (PreparedStatement upsert =
        tx.prepareStatement(
            "INSERT INTO state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value ="
                + " excluded.value")) {
      upsert.setString(1, name);
      upsert.setString(2, value);
      upsert.executeUpdate();
    }
  }

  /** How many rows a handler has written for each event. */
  public Map<String, Integer> rows(String handler) {
    Map<String, Integer> rows = new TreeMap<>();
    try (Connection connection = pool.getConnection();
        PreparedStatement query =
            connection.prepareStatement("SELECT event_id FROM ledger WHERE handler = ?")) {
      query.setString(1, handler);
      try (ResultSet result = query.executeQuery()) {
        while (result.next()) {
          rows.merge(result.getString(1), 1, Integer::sum);
        }
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return rows;
  }

  public @Nullable String state(String name) {
    return one("SELECT value FROM state WHERE name = ?", name);
  }

  public int dedupeRows(String handler) {
    String count =
        one(
            "SELECT count(*) FROM onceward_processed_event e JOIN onceward_handler h"
                + " ON h.id = e.handler WHERE h.name = ?",
            handler);
    return count == null ? 0 : Integer.parseInt(count);
  }

  private @Nullable String one(String sql, String argument) {
    try (Connection connection = pool.getConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, argument);
      try (ResultSet result = query.executeQuery()) {
        return result.next() ? result.getString(1) : null;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
