package dev.onceward.producer.internal.outbox;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * Finds numbers of the sequence below which all is settled: each row is committed, or never comes.
 *
 * <p>First the last number drawn is read, <em>then</em> a transaction id of its own is taken. Who
 * has drawn one of the numbers had a transaction id before ({@link Append} sees to that), so a
 * lower one. Once the oldest transaction that runs is not older than that id, all of them are done.
 *
 * <p>It has to be an id of its own. The next id of a snapshot ({@code pg_snapshot_xmax}) is only
 * one more than that of the last transaction that has <em>ended</em>: those that run with higher
 * ones would be passed over.
 *
 * <p>Not thread-safe.
 */
final class LowWaterMark {
  private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

  private final String lastNumber;
  private long candidate;
  private long transaction;
  private boolean pending;
  private long settled;
  private long lastLook = System.nanoTime() - INTERVAL;

  LowWaterMark(OutboxTables tables) {
    this.lastNumber =
        "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM "
            + tables.sequence();
  }

  /** Looks, at most every 100 ms, and returns the highest number that is settled. */
  long look(Connection connection) throws SQLException {
    long now = System.nanoTime();
    if (now - lastLook < INTERVAL) {
      return settled;
    }
    lastLook = now;
    if (pending
        && number(connection, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
            >= transaction) {
      settled = candidate;
      pending = false;
    }
    if (!pending) {
      mark(connection);
    }
    return settled;
  }

  private void mark(Connection connection) throws SQLException {
    long last = number(connection, lastNumber);
    if (last > settled) {
      candidate = last;
      transaction = number(connection, "SELECT pg_current_xact_id()::text");
      pending = true;
    }
  }

  /** Transaction ids are unsigned, and far from the half that Java would call negative. */
  private static long number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return Long.parseLong(result.getString(1));
    }
  }
}
