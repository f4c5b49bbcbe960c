package dev.onceward.dedupe.internal.hygiene;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Asks PostgreSQL what is on a session, in one query. Immutable.
 *
 * <p>Settings are asked for by name: {@code pg_settings} does not list custom ones, and costs more
 * than all the rest. Names are qualified, because the search path may be what has changed.
 */
final class ServerQuery {
  static final String ROLE = "role";
  static final String SESSION_AUTHORIZATION = "session_authorization";
  static final String SEARCH_PATH = "search_path";

  private static final String SEPARATOR = "\u001f";

  private static final List<String> ALWAYS =
      List.of(
          ROLE,
          SESSION_AUTHORIZATION,
          SEARCH_PATH,
          "default_transaction_isolation",
          "default_transaction_read_only",
          "statement_timeout",
          "lock_timeout",
          "row_security",
          "session_replication_role");

  private static final String ADVISORY =
      "SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks"
          + " WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()";

  private final List<String> names;
  private final String all;
  private final String settingsOnly;

  ServerQuery(Collection<String> watched) {
    Set<String> all = new LinkedHashSet<>(ALWAYS);
    watched.forEach(name -> all.add(name.toLowerCase(Locale.ROOT)));
    this.names = List.copyOf(all);
    // safe: Builder.watch takes only letters, digits, _, $ and .
    this.settingsOnly =
        names.stream()
            .map(name -> "pg_catalog.current_setting('" + name + "', true)")
            .collect(Collectors.joining(", ", "SELECT ", ""));
    StringBuilder query = new StringBuilder(settingsOnly);
    query
        .append(", (")
        .append(ADVISORY)
        .append("), ")
        // most sessions never had a temporary schema, and are spared the scan of the catalog
        .append("CASE WHEN pg_catalog.pg_my_temp_schema() <> 0 THEN ")
        .append(
            list(
                "relname",
                "pg_catalog.pg_class WHERE relnamespace = pg_catalog.pg_my_temp_schema()"
                    + " AND relkind IN ('r', 'p', 'v', 'S', 'm', 'f')"))
        .append(" END, ")
        .append(list("c", "pg_catalog.pg_listening_channels() c"))
        .append(", ")
        .append(list("name", "pg_catalog.pg_cursors WHERE is_holdable"));
    this.all = query.toString();
  }

  /** All names in one text: drivers read arrays slowly. */
  private static String list(String column, String from) {
    return "(SELECT pg_catalog.string_agg("
        + column
        + "::text, E'\\x1f' ORDER BY "
        + column
        + ") FROM "
        + from
        + ")";
  }

  /** The watched settings, in lower case and in order. */
  List<String> names() {
    return names;
  }

  /** Everything. */
  ServerState read(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(all);
        ResultSet row = statement.executeQuery()) {
      row.next();
      List<String> settings = settings(row);
      int next = names.size() + 1;
      return new ServerState(
          settings,
          row.getLong(next),
          texts(row, next + 1),
          texts(row, next + 2),
          texts(row, next + 3));
    }
  }

  /** The settings and nothing else: hardly more than the round trip. */
  ServerState readSettings(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(settingsOnly);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new ServerState(settings(row), 0, List.of(), List.of(), List.of());
    }
  }

  private List<String> settings(ResultSet row) throws SQLException {
    List<String> settings = new ArrayList<>(names.size());
    for (int i = 1; i <= names.size(); i++) {
      settings.add(ServerState.text(row.getString(i)));
    }
    return settings;
  }

  /**
   * Lets go of all session-level advisory locks and returns how many remain: those of the
   * transaction. {@code pg_locks} does not tell the two apart, and unlocking one by one would leave
   * a warning in the server's log for each of the transaction.
   */
  static long releaseAdvisoryLocks(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_catalog.pg_advisory_unlock_all()");
      try (ResultSet row = statement.executeQuery(ADVISORY)) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /**
   * Which of these settings have the value that the session began with, or would begin with after a
   * change of the server's configuration. Custom settings are not among them: the server lists them
   * nowhere.
   *
   * @param names in lower case
   */
  static Set<String> asBegun(Connection connection, List<String> names) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings"
                + " WHERE setting = reset_val AND pg_catalog.lower(name) = ANY (?)")) {
      statement.setArray(1, connection.createArrayOf("text", names.toArray()));
      Set<String> found = new LinkedHashSet<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(row.getString(1));
        }
      }
      return found;
    }
  }

  private static List<String> texts(ResultSet row, int column) throws SQLException {
    String all = row.getString(column);
    return all == null ? List.of() : List.of(all.split(SEPARATOR, -1));
  }
}
