package dev.onceward.producer.internal.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Looks into PostgreSQL's catalogs, which needs no privilege on the tables or their schema. */
final class Catalog {
  private Catalog() {}

  /** The relations of the outbox that do not exist. */
  static List<String> missing(Connection connection, OutboxTables tables) throws SQLException {
    List<String> missing = new ArrayList<>();
    for (String name :
        List.of("outbox", "outbox_seq", "outbox_dead", "outbox_lease", "outbox_relay")) {
      String full = tables.prefix() + name;
      if (!exists(connection, tables, full)) {
        missing.add(full);
      }
    }
    return missing;
  }

  private static boolean exists(Connection connection, OutboxTables tables, String name)
      throws SQLException {
    return is(
        connection,
        tables,
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relname = ? AND %s)",
        name);
  }

  /** The answer of a query on a relation {@code c} of this name; %s says where it has to be. */
  static boolean is(Connection connection, OutboxTables tables, String query, String name)
      throws SQLException {
    String schema = tables.schema();
    String where =
        schema == null
            ? "pg_catalog.pg_table_is_visible(c.oid)"
            : "c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = ?)";
    try (PreparedStatement statement = connection.prepareStatement(query.formatted(where))) {
      statement.setString(1, name);
      if (schema != null) {
        statement.setString(2, schema);
      }
      try (ResultSet result = statement.executeQuery()) {
        return result.next() && result.getBoolean(1);
      }
    }
  }
}
