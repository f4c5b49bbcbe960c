package dev.onceward.producer.internal.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a relay asks about its shards beside their rows. Immutable. */
final class ShardQueries {

  /** Rows that are counted of a bucket at most. */
  static final int MAX_COUNTED = 1_000;

  private static final int MAX_OVERLOOKED = 100;

  private final String blocked;
  private final String backlog;
  private final String dead;
  private final String overlooked;

  ShardQueries(OutboxTables tables) {
    this.blocked =
        "SELECT DISTINCT topic, key FROM "
            + tables.dead()
            + " WHERE bucket = ANY (?::smallint[]) AND key IS NOT NULL";
    this.backlog =
        "SELECT coalesce(sum(r.n), 0), extract(epoch FROM clock_timestamp() - min(r.first)) FROM"
            + " unnest(?::smallint[], ?::bigint[]) AS b(bucket, floor) CROSS JOIN LATERAL (SELECT"
            + " count(*) AS n, min(s.created_at) AS first FROM (SELECT o.created_at FROM "
            + tables.outbox()
            + " o WHERE o.bucket = b.bucket AND o.seq > b.floor ORDER BY o.seq LIMIT "
            + MAX_COUNTED
            + ") s) r";
    this.dead =
        "SELECT count(*) FROM "
            + tables.dead()
            + " WHERE reason IS NOT NULL AND bucket = ANY (?::smallint[])";
    this.overlooked =
        "SELECT o.bucket, o.seq FROM unnest(?::smallint[], ?::bigint[], ?::bigint[], ?::bigint[])"
            + " AS u(bucket, floor, epoch, revision) JOIN "
            + tables.lease()
            + " l ON l.shard = u.bucket % "
            + Buckets.SHARDS
            + " AND l.epoch = u.epoch AND l.revision = u.revision JOIN "
            + tables.outbox()
            + " o ON o.bucket = u.bucket AND o.seq <= u.floor ORDER BY o.seq LIMIT "
            + MAX_OVERLOOKED;
  }

  /**
   * How much waits.
   *
   * @param rows the number of rows, see {@link #MAX_COUNTED}
   * @param age the age of the oldest
   * @param dead the number of dead rows
   */
  record Backlog(long rows, Duration age, long dead) {
    static final Backlog NONE = new Backlog(0, Duration.ZERO, 0);
  }

  /** A row by its place. */
  record Place(int bucket, long seq) {}

  /** The keys of these buckets that have a dead row. */
  Set<RowKey> blocked(Connection connection, Short[] buckets) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(blocked)) {
      query.setArray(1, connection.createArrayOf("int2", buckets));
      Set<RowKey> keys = new HashSet<>();
      try (ResultSet found = query.executeQuery()) {
        while (found.next()) {
          keys.add(new RowKey(found.getString(1), found.getBytes(2)));
        }
      }
      return keys;
    }
  }

  Backlog backlog(Connection connection, ReadRequest request) throws SQLException {
    long rows;
    Duration age;
    try (PreparedStatement query = connection.prepareStatement(backlog)) {
      query.setArray(1, connection.createArrayOf("int2", request.buckets()));
      query.setArray(2, connection.createArrayOf("int8", request.floors()));
      try (ResultSet found = query.executeQuery()) {
        found.next();
        rows = found.getLong(1);
        age = Duration.ofMillis(Math.max(0, Math.round(found.getDouble(2) * 1_000)));
      }
    }
    try (PreparedStatement query = connection.prepareStatement(dead)) {
      query.setArray(1, connection.createArrayOf("int2", request.buckets()));
      try (ResultSet found = query.executeQuery()) {
        found.next();
        return new Backlog(rows, age, found.getLong(1));
      }
    }
  }

  /** Rows below the low-water marks, where there must be none. */
  List<Place> overlooked(Connection connection, ReadRequest request) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(overlooked)) {
      query.setArray(1, connection.createArrayOf("int2", request.buckets()));
      query.setArray(2, connection.createArrayOf("int8", request.floors()));
      query.setArray(3, connection.createArrayOf("int8", request.epochs()));
      query.setArray(4, connection.createArrayOf("int8", request.revisions()));
      List<Place> places = new ArrayList<>();
      try (ResultSet found = query.executeQuery()) {
        while (found.next()) {
          places.add(new Place(found.getInt(1), found.getLong(2)));
        }
      }
      return places;
    }
  }
}
