package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.TableNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The inbox's tables. What is created is the shipped script itself, so the two cannot drift apart.
 */
final class PostgresSchema {
  private static final String SCRIPT = "/dev/onceward/dedupe/postgresql.sql";

  /**
   * Creators wait for each other: CREATE ... IF NOT EXISTS alone fails when it runs twice at once.
   */
  private static final long LOCK = 0x6f6e636577617264L; // "onceward"

  /** What the script says of buckets; an inbox may say otherwise. */
  private static final String BUCKET_SECONDS = "VALUES (1, 86400)";

  private final TableNames tables;
  private final String bucketSeconds;

  PostgresSchema(TableNames tables, Buckets buckets) {
    this.tables = tables;
    this.bucketSeconds = "VALUES (1, " + buckets.seconds() + ")";
  }

  List<String> missingTables(Connection connection) throws SQLException {
    List<String> missing = new ArrayList<>(tables.all());
    String schema = tables.schema();
    // From the catalogs, which need no privilege on the schema, unlike to_regclass.
    String sql =
        "SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
            + " ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')"
            + " AND c.relname IN (?, ?, ?, ?, ?)"
            + " AND "
            + (schema == null ? "pg_catalog.pg_table_is_visible(c.oid)" : "n.nspname = ?");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < missing.size(); i++) {
        statement.setString(i + 1, missing.get(i));
      }
      if (schema != null) {
        statement.setString(missing.size() + 1, schema);
      }
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          missing.remove(found.getString(1));
        }
      }
    }
    return missing;
  }

  void create(Connection connection) throws SQLException {
    // Before any DDL: a role that may not create tables can still call this when they are there.
    if (!missingTables(connection).isEmpty()) {
      connection.commit();
      try (Statement statement = connection.createStatement()) {
        // so that what is seen under the lock is new, whatever the level of the session
        statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
        if (!missingTables(connection).isEmpty()) {
          createIn(statement, connection);
        }
      }
    }
    connection.commit();
  }

  private void createIn(Statement statement, Connection connection) throws SQLException {
    String schema = tables.schema();
    if (schema != null) {
      if (!exists(connection, schema)) {
        statement.execute("CREATE SCHEMA IF NOT EXISTS " + TableNames.quotedSchema(schema));
      }
      statement.execute("SET LOCAL search_path TO " + TableNames.quotedSchema(schema));
    }
    statement.execute(script());
  }

  private static boolean exists(Connection connection, String schema) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT FROM pg_catalog.pg_namespace WHERE nspname = ?")) {
      statement.setString(1, schema);
      try (ResultSet found = statement.executeQuery()) {
        return found.next();
      }
    }
  }

  private String script() {
    try (InputStream in = PostgresSchema.class.getResourceAsStream(SCRIPT)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + SCRIPT + " is missing from the jar");
      }
      String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return script
          .replace(BUCKET_SECONDS, bucketSeconds)
          .replace(TableNames.DEFAULT_PREFIX, tables.prefix());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + SCRIPT, e);
    }
  }
}
