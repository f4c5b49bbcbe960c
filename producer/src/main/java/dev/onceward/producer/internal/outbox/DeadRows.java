package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.DeadReason;
import dev.onceward.producer.outbox.DeadRow;
import dev.onceward.tracing.KeyHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists dead rows and puts them back. Whoever puts rows back holds the row of their shard's lease
 * and counts its revision up, and whoever moves rows here holds it too: so the owner of the shard
 * either knows of all dead rows, or learns that it has to look again, and never sends a row before
 * one that came back.
 */
public final class DeadRows {
  private static final Logger LOG = LoggerFactory.getLogger("dev.onceward.producer.outbox");

  private final OutboxTables tables;

  public DeadRows(OutboxTables tables) {
    this.tables = tables;
  }

  /** The dead rows with the lowest numbers. */
  public List<DeadRow> list(Session session, int limit) throws SQLException {
    String sql =
        "SELECT d.seq, d.topic, d.id, d.key, d.reason, d.detail, d.created_at, d.moved_at, (SELECT"
            + " count(*) FROM "
            + tables.dead()
            + " w WHERE w.bucket = d.bucket AND w.topic = d.topic AND w.key = d.key AND w.seq >"
            + " d.seq) FROM "
            + tables.dead()
            + " d WHERE d.reason IS NOT NULL ORDER BY d.seq LIMIT ?";
    return session.run(
        connection -> {
          try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setInt(1, limit);
            List<DeadRow> rows = new ArrayList<>();
            try (ResultSet found = query.executeQuery()) {
              while (found.next()) {
                rows.add(row(found));
              }
            }
            return rows;
          }
        });
  }

  private static DeadRow row(ResultSet found) throws SQLException {
    return new DeadRow(
        found.getLong(1),
        found.getString(2),
        found.getString(3),
        KeyHash.of(found.getBytes(4)),
        DeadReason.valueOf(found.getString(5)),
        String.valueOf(found.getString(6)),
        found.getObject(7, OffsetDateTime.class).toInstant(),
        found.getObject(8, OffsetDateTime.class).toInstant(),
        found.getLong(9));
  }

  /** Puts a dead row and those behind it back. */
  public boolean release(Session session, long seq) throws SQLException {
    return session.transaction(connection -> putBack(connection, seq, true));
  }

  /** Deletes a dead row and puts those behind it back. */
  public boolean discard(Session session, long seq) throws SQLException {
    return session.transaction(connection -> putBack(connection, seq, false));
  }

  /** Puts the dead rows of a topic back, and those behind them. */
  public int releaseAll(Session session, String topic) throws SQLException {
    List<Long> dead =
        session.run(
            connection -> {
              try (PreparedStatement query =
                  connection.prepareStatement(
                      "SELECT seq FROM "
                          + tables.dead()
                          + " WHERE reason IS NOT NULL AND topic = ? ORDER BY seq")) {
                query.setString(1, topic);
                List<Long> numbers = new ArrayList<>();
                try (ResultSet found = query.executeQuery()) {
                  while (found.next()) {
                    numbers.add(found.getLong(1));
                  }
                }
                return numbers;
              }
            });
    int released = 0;
    for (long seq : dead) {
      if (release(session, seq)) {
        released++;
      }
    }
    return released;
  }

  @SuppressWarnings("ArrayRecordComponent") // handed on to JDBC, never compared
  private record Head(int bucket, String id, String topic, byte @Nullable [] key) {}

  private boolean putBack(Connection connection, long seq, boolean withHead) throws SQLException {
    Head head = head(connection, seq);
    if (head == null) {
      return false;
    }
    try (PreparedStatement revise =
        connection.prepareStatement(
            "UPDATE " + tables.lease() + " SET revision = revision + 1 WHERE shard = ?")) {
      revise.setInt(1, Buckets.shardOf(head.bucket()));
      revise.executeUpdate();
    }
    // again, now that nobody else moves rows of the shard
    head = head(connection, seq);
    if (head == null) {
      return false;
    }
    if (!withHead) {
      delete(connection, seq);
      LOG.warn(
          "Outbox row {} is discarded and never sent: event {} for {}, key hash {}",
          seq,
          head.id(),
          head.topic(),
          KeyHash.of(head.key()));
    }
    moveBack(connection, head, seq);
    return true;
  }

  private @Nullable Head head(Connection connection, long seq) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT bucket, id, topic, key FROM "
                + tables.dead()
                + " WHERE seq = ? AND reason IS NOT NULL")) {
      query.setLong(1, seq);
      try (ResultSet found = query.executeQuery()) {
        return found.next()
            ? new Head(found.getInt(1), found.getString(2), found.getString(3), found.getBytes(4))
            : null;
      }
    }
  }

  private void delete(Connection connection, long seq) throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM " + tables.dead() + " WHERE seq = ?")) {
      delete.setLong(1, seq);
      delete.executeUpdate();
    }
  }

  private void moveBack(Connection connection, Head head, long seq) throws SQLException {
    String which = head.key() == null ? "seq = ?" : "bucket = ? AND topic = ? AND key = ?";
    try (PreparedStatement move =
        connection.prepareStatement(
            "WITH back AS (DELETE FROM "
                + tables.dead()
                + " WHERE "
                + which
                + " RETURNING "
                + OutboxTables.COLUMNS
                + ") INSERT INTO "
                + tables.outbox()
                + " ("
                + OutboxTables.COLUMNS
                + ") SELECT "
                + OutboxTables.COLUMNS
                + " FROM back")) {
      if (head.key() == null) {
        move.setLong(1, seq);
      } else {
        move.setInt(1, head.bucket());
        move.setString(2, head.topic());
        move.setBytes(3, head.key());
      }
      move.executeUpdate();
    }
  }
}
