package dev.onceward.examples.orders;

import dev.onceward.examples.Sql;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import javax.sql.DataSource;

/**
 * How fast effects were committed.
 *
 * @param effectsPerSecond bookings and shipment changes by the time from the first publish to the
 *     last of them
 * @param seconds that time
 * @param p99Millis 99th percentile of the time from publishing an event to its committed effect
 */
record Speed(long effectsPerSecond, double seconds, long p99Millis) {

  private static final String EFFECTS =
      "(SELECT published_at, applied_at FROM ledger"
          + " UNION ALL SELECT published_at, applied_at FROM shipment_journal) AS effects";

  private static final String QUERY =
      "SELECT count(*),"
          + " coalesce(extract(epoch FROM max(applied_at) - min(published_at)), 0),"
          + " coalesce(round(1000 * percentile_cont(0.99) WITHIN GROUP"
          + " (ORDER BY extract(epoch FROM applied_at - published_at))), 0) FROM "
          + EFFECTS;

  /** Of all effects. */
  static Speed of(DataSource database) throws SQLException {
    return query(database, QUERY);
  }

  /** Of the effects until a moment, by the clock of the database. */
  static Speed until(OffsetDateTime moment, DataSource database) throws SQLException {
    return query(database, QUERY + " WHERE applied_at <= TIMESTAMPTZ '" + moment + "'");
  }

  private static Speed query(DataSource database, String sql) throws SQLException {
    return Sql.query(
            database,
            sql,
            row -> {
              double seconds = Math.max(0.001, row.getDouble(2));
              return new Speed(Math.round(row.getLong(1) / seconds), seconds, row.getLong(3));
            })
        .get(0);
  }
}
