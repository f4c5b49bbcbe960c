package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import dev.onceward.dedupe.internal.InboxConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads, without a lock, what a batch needs to know: the handlers' numbers, the window and the
 * fences, in one query. Thread-safe.
 */
final class PortableLookup {
  private final PortableTables tables;
  private final Buckets buckets;
  private final Optional<Duration> window;

  PortableLookup(InboxConfig config, PortableTables tables) {
    this.tables = tables;
    this.buckets = config.buckets();
    this.window = config.window();
  }

  Found look(Connection connection, Batch batch) throws SQLException {
    Found found = new Found();
    Sql sql = tables.sql();
    String between = "";
    if (!batch.events().isEmpty()) {
      sql.add("SELECT 'w', NULL, NULL, bucket_seconds, kept_from, " + tables.flavor.now());
      sql.add(" FROM " + tables.window);
      between = " UNION ALL ";
    }
    if (!batch.handlers().isEmpty()) {
      sql.add(between + "SELECT 'h', name, NULL, id, NULL, NULL FROM " + tables.handler);
      sql.add(" WHERE name IN (").each(batch.handlers(), ", ", Sql::name).add(")");
      between = " UNION ALL ";
    }
    if (!batch.fences().isEmpty()) {
      sql.add(between + "SELECT 'f', group_name, topic, partition_id, epoch, next_offset FROM ");
      sql.add(tables.fence + " WHERE ");
      PortableFences.where(sql, batch.fences().keySet());
    }
    if (between.isEmpty() && batch.fences().isEmpty()) {
      return found;
    }
    try (PreparedStatement statement = sql.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        read(row, found);
      }
    }
    return found;
  }

  private void read(ResultSet row, Found found) throws SQLException {
    switch (row.getString(1)) {
      case "h" -> found.numbers.put(tables.flavor.name(row, 2), row.getInt(4));
      case "w" -> {
        found.bucketSeconds = row.getInt(4);
        found.keptFrom = row.getInt(5);
        long now = row.getLong(6);
        window.ifPresent(
            time -> {
              Instant oldest = Instant.ofEpochSecond(now).minus(time);
              found.keptFrom = Math.max(found.keptFrom, buckets.at(oldest));
            });
      }
      default -> {
        FenceKey key =
            new FenceKey(tables.flavor.name(row, 2), tables.flavor.name(row, 3), row.getInt(4));
        found.fences.put(key, PortableFences.state(row, 5));
      }
    }
  }

  /** What was found. */
  static final class Found {
    final Map<String, Integer> numbers = new HashMap<>();
    final Map<FenceKey, FenceState> fences = new HashMap<>();
    int bucketSeconds;
    int keptFrom;

    int number(String handler) {
      Integer number = numbers.get(handler);
      if (number == null) {
        throw new IllegalStateException("handler " + handler + " was not looked up");
      }
      return number;
    }

    /** Whether the fences have the epochs expected. */
    boolean hold(Map<FenceKey, Long> expected) {
      for (Map.Entry<FenceKey, Long> fence : expected.entrySet()) {
        FenceState state = fences.get(fence.getKey());
        if (state == null || state.epoch() != fence.getValue()) {
          return false;
        }
      }
      return true;
    }
  }
}
