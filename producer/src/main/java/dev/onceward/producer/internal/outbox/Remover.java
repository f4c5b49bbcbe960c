package dev.onceward.producer.internal.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Takes rows out of the outbox, as long as their shard is ours. Immutable. */
final class Remover {
  private final String delete;
  private final String lock;
  private final String head;
  private final String behind;

  Remover(OutboxTables tables) {
    String leased = " l.epoch = u.epoch AND l.shard = u.bucket % " + Buckets.SHARDS;
    this.delete =
        "DELETE FROM "
            + tables.outbox()
            + " o USING unnest(?::smallint[], ?::bigint[], ?::bigint[]) AS u(bucket, seq, epoch), "
            + tables.lease()
            + " l WHERE o.bucket = u.bucket AND o.seq = u.seq AND"
            + leased;
    this.lock =
        "SELECT shard FROM "
            + tables.lease()
            + " WHERE shard = ANY (?::smallint[]) ORDER BY shard FOR SHARE";
    String columns = OutboxTables.COLUMNS;
    this.head =
        "WITH gone AS (DELETE FROM "
            + tables.outbox()
            + " o USING (SELECT ?::smallint AS bucket, ?::bigint AS seq, ?::bigint AS epoch) u, "
            + tables.lease()
            + " l WHERE o.bucket = u.bucket AND o.seq = u.seq AND"
            + leased
            + " RETURNING o.*) INSERT INTO "
            + tables.dead()
            + " ("
            + columns
            + ", reason, detail) SELECT "
            + columns
            + ", ?, ? FROM gone RETURNING seq";
    this.behind =
        "WITH gone AS (DELETE FROM "
            + tables.outbox()
            + " o USING unnest(?::smallint[], ?::bigint[], ?::bigint[]) AS u(bucket, seq, epoch), "
            + tables.lease()
            + " l WHERE o.bucket = u.bucket AND o.seq = u.seq AND"
            + leased
            + " AND EXISTS (SELECT FROM "
            + tables.dead()
            + " d WHERE d.bucket = o.bucket AND d.topic = o.topic AND d.key = o.key AND d.seq <"
            + " o.seq AND d.reason IS NOT NULL) RETURNING o.*) INSERT INTO "
            + tables.dead()
            + " ("
            + columns
            + ") SELECT "
            + columns
            + " FROM gone RETURNING seq";
  }

  /** Deletes rows that were acknowledged; returns how many. */
  int delete(Connection connection, Short[] buckets, Long[] numbers, Long[] epochs)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(delete)) {
      statement.setArray(1, connection.createArrayOf("int2", buckets));
      statement.setArray(2, connection.createArrayOf("int8", numbers));
      statement.setArray(3, connection.createArrayOf("int8", epochs));
      return statement.executeUpdate();
    }
  }

  /**
   * Moves rows to the dead, those with a reason first; in a transaction. Returns the numbers of
   * those that were moved. The others are not ours any more, or nothing dead is in front of them.
   */
  Set<Long> move(Connection connection, List<Leaving> rows) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(lock)) {
      Short[] shards =
          rows.stream()
              .map(each -> (short) Buckets.shardOf(each.row().bucket))
              .distinct()
              .toArray(Short[]::new);
      statement.setArray(1, connection.createArrayOf("int2", shards));
      statement.executeQuery().close();
    }
    Set<Long> moved = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(head)) {
      for (Leaving each : rows) {
        if (each.reason() != null) {
          statement.setInt(1, each.row().bucket);
          statement.setLong(2, each.row().seq);
          statement.setLong(3, each.epoch());
          statement.setString(4, each.reason().name());
          statement.setString(5, each.detail());
          collect(statement, moved);
        }
      }
    }
    List<Leaving> followers = rows.stream().filter(each -> each.reason() == null).toList();
    if (!followers.isEmpty()) {
      try (PreparedStatement statement = connection.prepareStatement(behind)) {
        statement.setArray(
            1,
            connection.createArrayOf(
                "int2",
                followers.stream().map(each -> (short) each.row().bucket).toArray(Short[]::new)));
        statement.setArray(
            2,
            connection.createArrayOf(
                "int8", followers.stream().map(each -> each.row().seq).toArray(Long[]::new)));
        statement.setArray(
            3,
            connection.createArrayOf(
                "int8", followers.stream().map(Leaving::epoch).toArray(Long[]::new)));
        collect(statement, moved);
      }
    }
    return moved;
  }

  private static void collect(PreparedStatement statement, Set<Long> moved) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        moved.add(result.getLong(1));
      }
    }
  }
}
