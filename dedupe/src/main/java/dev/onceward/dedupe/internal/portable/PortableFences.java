package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.internal.FenceClaim;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import dev.onceward.dedupe.internal.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes fences and holds them. Thread-safe. */
final class PortableFences {
  private final PortableTables tables;

  PortableFences(PortableTables tables) {
    this.tables = tables;
  }

  FenceState take(Connection connection, FenceScope scope) throws SQLException {
    FenceKey key = new FenceKey(scope.group(), scope.topic(), scope.partition());
    Sql query = tables.sql().add("SELECT epoch, next_offset, topic_id FROM " + tables.fence);
    where(query.add(" WHERE "), Set.of(key)).add(" FOR UPDATE");
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      if (row.next()) {
        return takeAgain(connection, scope, key, state(row, 1), row.getString(3));
      }
    }
    return takeFirst(connection, scope);
  }

  private FenceState takeAgain(
      Connection connection,
      FenceScope scope,
      FenceKey key,
      FenceState former,
      @Nullable String formerTopic)
      throws SQLException {
    // an id that is not known on one side says nothing about the offsets
    boolean anew =
        formerTopic != null && scope.topicId() != null && !formerTopic.equals(scope.topicId());
    FenceState taken =
        new FenceState(former.epoch() + 1, anew ? OptionalLong.empty() : former.nextOffset());
    Sql update = tables.sql().add("UPDATE " + tables.fence + " SET epoch = ");
    update.number(taken.epoch());
    if (anew) {
      update.add(", next_offset = NULL");
    }
    if (scope.topicId() != null) {
      update.add(", topic_id = ").text(scope.topicId());
    }
    where(update.add(" WHERE "), Set.of(key)).update(connection);
    return taken;
  }

  private FenceState takeFirst(Connection connection, FenceScope scope) throws SQLException {
    Sql insert = tables.sql().add("INSERT INTO " + tables.fence);
    insert.add(" (group_name, topic, partition_id, epoch, topic_id) VALUES (");
    insert.name(scope.group()).add(", ").name(scope.topic()).add(", ").number(scope.partition());
    insert.add(", 1, ");
    if (scope.topicId() == null) {
      insert.add("NULL)");
    } else {
      insert.text(scope.topicId()).add(")");
    }
    try {
      insert.update(connection);
    } catch (SQLException e) {
      if (tables.flavor.sqlState(e).equals(SqlStates.UNIQUE_VIOLATION)) {
        SQLException conflict = PortableClaims.conflict("the fence was taken at the same time");
        conflict.addSuppressed(e);
        throw conflict;
      }
      throw e;
    }
    return new FenceState(1, OptionalLong.empty());
  }

  Map<FenceKey, FenceState> confirm(Connection connection, List<FenceClaim> claims)
      throws SQLException {
    boolean moves = claims.stream().anyMatch(FenceClaim::moves);
    List<FenceKey> keys = claims.stream().map(FenceClaim::key).toList();
    if (!tables.flavor.locksSeeTheLatest()) {
      Sql lock = tables.sql().add("UPDATE " + tables.fence + " SET epoch = epoch WHERE ");
      where(lock, keys).update(connection);
    }
    Sql query =
        tables
            .sql()
            .add("SELECT group_name, topic, partition_id, epoch, next_offset FROM " + tables.fence);
    where(query.add(" WHERE "), keys);
    query.add(" ORDER BY group_name, topic, partition_id");
    query.add(moves ? " FOR UPDATE" : tables.flavor.lockAgainstChange());
    Map<FenceKey, FenceState> found = new HashMap<>();
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        FenceKey key =
            new FenceKey(tables.flavor.name(row, 1), tables.flavor.name(row, 2), row.getInt(3));
        found.put(key, state(row, 4));
      }
    }
    for (FenceClaim claim : claims) {
      FenceState state = found.get(claim.key());
      if (claim.moves()
          && state != null
          && state.epoch() == claim.epoch()
          && state.nextOffset().orElse(claim.lowest()) <= claim.lowest()) {
        Sql update = tables.sql().add("UPDATE " + tables.fence + " SET next_offset = ");
        where(update.number(claim.next()).add(" WHERE "), Set.of(claim.key())).update(connection);
      }
    }
    return found;
  }

  /** The condition that finds the rows of some fences. */
  static Sql where(Sql sql, Iterable<FenceKey> keys) {
    return sql.each(
        keys,
        " OR ",
        (query, key) ->
            query
                .add("(group_name = ")
                .name(key.group())
                .add(" AND topic = ")
                .name(key.topic())
                .add(" AND partition_id = " + key.partition() + ")"));
  }

  /** Reads the epoch, and the offset in the next column. */
  static FenceState state(ResultSet row, int column) throws SQLException {
    long epoch = row.getLong(column);
    long nextOffset = row.getLong(column + 1);
    return new FenceState(
        epoch, row.wasNull() ? OptionalLong.empty() : OptionalLong.of(nextOffset));
  }
}
