package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.internal.FenceClaim;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Takes fences and holds them. Thread-safe. */
final class PostgresFences {
  private final PostgresStatements statements;

  PostgresFences(PostgresStatements statements) {
    this.statements = statements;
  }

  FenceState take(Connection connection, FenceScope scope) throws SQLException {
    Query query = statements.beginReadCommitted().add("\nINSERT INTO " + statements.fence);
    query.add(" AS f (epoch, next_offset, partition_id, group_name, topic, topic_id)");
    query.add(" SELECT 1, NULL, ").integer(scope.partition()).add(", ").text(scope.group());
    query.add(", ").text(scope.topic()).add(", ");
    if (scope.topicId() == null) {
      query.add("NULL");
    } else {
      query.text(scope.topicId());
    }
    // an id that is not known on one side says nothing about the offsets
    query.add(
        " FROM s ON CONFLICT (group_name, topic, partition_id) DO UPDATE SET epoch = f.epoch + 1,"
            + " topic_id = coalesce(excluded.topic_id, f.topic_id), next_offset = CASE WHEN"
            + " f.topic_id <> excluded.topic_id THEN NULL ELSE f.next_offset END"
            + " RETURNING epoch, next_offset");
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = PostgresStatements.rows(statement, statement.execute())) {
      row.next();
      return state(row);
    }
  }

  Map<FenceKey, FenceState> confirm(Connection connection, List<FenceClaim> fences)
      throws SQLException {
    boolean moves = fences.stream().anyMatch(FenceClaim::moves);
    Query query = new Query().add("WITH held AS MATERIALIZED (SELECT k.*, f.epoch, f.next_offset");
    query.add(" FROM unnest(").texts(fences.stream().map(fence -> fence.key().group()).toList());
    query.add(", ").texts(fences.stream().map(fence -> fence.key().topic()).toList());
    query.add(", ").integers(fences.stream().map(fence -> fence.key().partition()).toList());
    query.add(", ").bigints(new ArrayList<>(fences.stream().map(FenceClaim::epoch).toList()));
    query.add(", ").bigints(new ArrayList<>(fences.stream().map(FenceClaim::lowest).toList()));
    query.add(", ");
    List<@org.jspecify.annotations.Nullable Long> next = new ArrayList<>();
    fences.forEach(fence -> next.add(fence.moves() ? fence.next() : null));
    query.bigints(next);
    query.add(") WITH ORDINALITY k(group_name, topic, partition_id, wanted, lowest, next, ord)");
    query.add(" JOIN " + statements.fence + " f USING (group_name, topic, partition_id)");
    // a fence is taken by an update, which waits for either lock
    query.add(" ORDER BY k.ord FOR " + (moves ? "NO KEY UPDATE" : "SHARE") + " OF f)");
    if (moves) {
      query.add(
          ",\nmoved AS (UPDATE "
              + statements.fence
              + " f SET next_offset = held.next FROM held WHERE f.group_name = held.group_name"
              + " AND f.topic = held.topic AND f.partition_id = held.partition_id"
              + " AND held.next IS NOT NULL AND held.epoch = held.wanted"
              + " AND (held.next_offset IS NULL OR held.next_offset <= held.lowest))");
    }
    query.add("\nSELECT epoch, next_offset, ord FROM held");
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      Map<FenceKey, FenceState> found = new HashMap<>();
      while (row.next()) {
        found.put(fences.get(row.getInt(3) - 1).key(), state(row));
      }
      return found;
    }
  }

  private static FenceState state(ResultSet row) throws SQLException {
    long epoch = row.getLong(1);
    long nextOffset = row.getLong(2);
    return new FenceState(
        epoch, row.wasNull() ? OptionalLong.empty() : OptionalLong.of(nextOffset));
  }
}
