package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/**
 * Deletes rows beyond the window, in small transactions. Thread-safe.
 *
 * <p>What is to be forgotten is noted first, and forgotten only when the note is old enough that no
 * claim can be under way which has not read it: such a claim would find no row and take an old
 * event for a new one.
 */
final class PortableMaintenance {
  /** How old a note must be. A claim that takes half of it is repeated. */
  static final Duration NOTED = Duration.ofMinutes(10);

  private static final int DELETE_BATCH = 5_000;

  private final InboxConfig config;
  private final PortableTables tables;

  PortableMaintenance(InboxConfig config, PortableTables tables) {
    this.config = config;
    this.tables = tables;
  }

  void maintain(Connection connection) throws SQLException {
    tables.flavor.begin(connection);
    State state = read(connection);
    connection.commit();
    if (state.raisedAt < state.now - NOTED.toSeconds()) {
      delete(connection, state.keptFrom);
    }
    raise(connection, state.now);
  }

  private State read(Connection connection) throws SQLException {
    Sql query =
        tables
            .sql()
            .add("SELECT bucket_seconds, kept_from, raised_at, " + tables.flavor.now())
            .add(" FROM " + tables.window);
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        throw new SQLException(
            tables.window + " has no row; run JdbcInbox.createSchema()", SqlStates.UNDEFINED_TABLE);
      }
      if (row.getInt(1) != config.buckets().seconds()) {
        throw new SQLException(
            "the tables have a bucketWidth of "
                + row.getInt(1)
                + " s, the inbox is set to "
                + config.buckets().seconds()
                + " s");
      }
      return new State(row.getInt(2), row.getLong(3), row.getLong(4));
    }
  }

  /** Bucket by bucket, so that no batch visits again what earlier ones have emptied. */
  private void delete(Connection connection, int before) throws SQLException {
    int from = Buckets.FIRST;
    while (from < before && !Thread.currentThread().isInterrupted()) {
      tables.flavor.begin(connection);
      from = oldest(connection, from, before);
      if (from < before) {
        int deleted =
            tables
                .sql()
                .add("DELETE FROM " + tables.processedEvent + " WHERE bucket = " + from)
                .add(tables.flavor.first(DELETE_BATCH))
                .update(connection);
        if (deleted < DELETE_BATCH) {
          from++;
        }
      }
      connection.commit();
    }
  }

  /** The oldest bucket that has rows, or {@code before}. */
  private int oldest(Connection connection, int from, int before) throws SQLException {
    Sql query =
        tables
            .sql()
            .add("SELECT MIN(bucket) FROM " + tables.processedEvent)
            .add(" WHERE bucket >= " + from + " AND bucket < " + before);
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      row.next();
      int bucket = row.getInt(1);
      return row.wasNull() ? before : bucket;
    }
  }

  private void raise(Connection connection, long now) throws SQLException {
    if (config.window().isEmpty()) {
      return;
    }
    int keptFrom = config.buckets().at(Instant.ofEpochSecond(now).minus(config.window().get()));
    tables.flavor.begin(connection);
    tables
        .sql()
        .add("UPDATE " + tables.window + " SET raised_at = " + now + ", kept_from = " + keptFrom)
        .add(" WHERE kept_from < " + keptFrom)
        .update(connection);
    connection.commit();
  }

  private record State(int keptFrom, long raisedAt, long now) {}
}
