package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.TableNames;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the statements of the inbox have in common. Immutable. */
final class PostgresStatements {
  final String handler;
  final String window;
  final String processedEvent;
  final String entityVersion;
  final String fence;

  /** The oldest bucket within the window, of the table {@link #window}. */
  final String keptFrom;

  private final String isolation;
  private final List<String> limits;
  private final List<String> boundSettings;

  PostgresStatements(InboxConfig config) {
    TableNames tables = config.tables();
    this.handler = tables.qualified(tables.handler());
    this.window = tables.qualified(tables.window());
    this.processedEvent = tables.qualified(tables.processedEvent());
    this.entityVersion = tables.qualified(tables.entityVersion());
    this.fence = tables.qualified(tables.fence());
    this.keptFrom =
        config.window().map(window -> keptFrom(window, config.buckets())).orElse("kept_from");
    // Sent with the statement behind it: no round trip of its own, and unlike
    // Connection.setTransactionIsolation it leaves nothing on the session.
    this.isolation =
        config.isolation() == null
            ? ""
            : "SET TRANSACTION ISOLATION LEVEL " + config.isolation().sql() + ";\n";
    this.limits = new ArrayList<>();
    limit("lock_timeout", config.lockTimeout());
    limit("idle_in_transaction_session_timeout", config.idleTimeout());
    this.boundSettings = config.boundSettings();
  }

  private static String keptFrom(Duration window, Buckets buckets) {
    return "greatest(kept_from, floor((extract(epoch FROM now()) - "
        + window.toSeconds()
        + ") / "
        + buckets.seconds()
        + ")::int)";
  }

  private void limit(String setting, Duration value) {
    if (!value.isZero()) {
      limits.add("set_config('" + setting + "', '" + Math.max(1, value.toMillis()) + "', true)");
    }
  }

  /** Whether a transaction starts with anything at all. */
  boolean beginsWithNothing() {
    return isolation.isEmpty() && limits.isEmpty() && boundSettings.isEmpty();
  }

  /**
   * Begins a statement with the table expression s: one row, leaked. It sets the limits and the
   * settings; whatever may wait has to depend on it. A setting that is set for a transaction is
   * empty, not null, when the transaction is over.
   */
  Query begin(Map<String, String> settings) {
    return begin(isolation, settings);
  }

  /** The same in READ COMMITTED, for a statement that concurrent ones of its kind must not fail. */
  Query beginReadCommitted() {
    return begin("SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\n", Map.of());
  }

  private Query begin(String isolation, Map<String, String> settings) {
    Query query = new Query().add(isolation).add("WITH ");
    if (!boundSettings.isEmpty()) {
      query.add("before AS MATERIALIZED (SELECT concat_ws(', '");
      for (String name : boundSettings) {
        query.add(
            ", CASE WHEN nullif(current_setting('%1$s', true), '') IS NOT NULL THEN '%1$s' END"
                .formatted(name));
      }
      query.add(") AS leaked),\n");
    }
    query.add("s AS MATERIALIZED (SELECT ");
    query.add(boundSettings.isEmpty() ? "''::text AS leaked" : "leaked");
    for (String limit : limits) {
      query.add(", ").add(limit);
    }
    new TreeMap<>(settings)
        .forEach(
            (name, value) -> query.add(", set_config('" + name + "', ").text(value).add(", true)"));
    return query.add(boundSettings.isEmpty() ? ")" : " FROM before)");
  }

  /** A table and its columns as statements use them: always quoted. */
  static String quotedTable(GuardedRow row) {
    return '"' + row.table().replace(".", "\".\"") + '"';
  }

  static String quoted(String column) {
    return '"' + column + '"';
  }

  /** The rows behind a SET that was sent in front of them. */
  static ResultSet rows(Statement statement, boolean first) throws SQLException {
    boolean rows = first;
    while (!rows) {
      if (statement.getUpdateCount() < 0) {
        throw new SQLException("the driver returned no rows for the inbox's statement");
      }
      rows = statement.getMoreResults();
    }
    return statement.getResultSet();
  }
}
