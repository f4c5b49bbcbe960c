package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.internal.InboxConfig;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The inbox's tables. What is created is the shipped script itself, so the two cannot drift apart.
 */
final class PortableSchema {
  /** What the script says of buckets; an inbox may say otherwise. */
  private static final String BUCKET_SECONDS = "SELECT 1, 86400";

  /** Creators that run at once may fail each other; the last one finds everything there. */
  private static final int TRIES = 5;

  private final TableNames names;
  private final PortableTables tables;
  private final String bucketSeconds;

  PortableSchema(InboxConfig config, PortableTables tables) {
    this.names = config.tables();
    this.tables = tables;
    this.bucketSeconds = "SELECT 1, " + config.buckets().seconds();
  }

  List<String> missingTables(Connection connection) throws SQLException {
    List<String> missing = new ArrayList<>(names.all());
    String schema = names.schema();
    // in upper case, as H2 spells them where it takes names as they are written
    String sql =
        "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = "
            + (schema == null ? tables.flavor.currentSchema() : "?");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (schema != null) {
        statement.setString(1, schema);
      }
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          missing.remove(found.getString(1).toLowerCase(Locale.ROOT));
        }
      }
    }
    return missing;
  }

  /** DDL commits by itself, so there is no transaction to be had; each step can be repeated. */
  void create(Connection connection) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        // before any DDL: a user who may not create tables can still call this when they are there
        if (missingTables(connection).isEmpty() && hasWindow(connection)) {
          connection.commit();
          return;
        }
        connection.commit();
        run(connection);
        connection.commit();
        return;
      } catch (SQLException e) {
        connection.rollback();
        if (attempt == TRIES) {
          throw e;
        }
      }
    }
  }

  private boolean hasWindow(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT id FROM " + tables.window)) {
      return row.next();
    }
  }

  private void run(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (names.schema() != null) {
        statement.execute("CREATE SCHEMA IF NOT EXISTS " + tables.flavor.quoted(names.schema()));
      }
      for (String sql : script().split(";\\s*\\n", -1)) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
    }
  }

  private String script() {
    String resource = "/" + tables.flavor.database().script();
    try (InputStream in = PortableSchema.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + resource + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replaceAll("(?m)^--.*\\n", "")
          .replace(BUCKET_SECONDS, bucketSeconds)
          .replace(TableNames.DEFAULT_PREFIX, tables.qualifier + names.prefix());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + resource, e);
    }
  }

  /** Runs each kind of statement that effects need, so that it finds or writes nothing. */
  int rehearse(Connection connection, Duration timeout) throws SQLException {
    tables.flavor.begin(connection);
    String never = " WHERE 1 = 0";
    for (String sql :
        List.of(
            "SELECT id, name FROM " + tables.handler + never,
            "INSERT INTO " + tables.handler + " (name) SELECT name FROM " + tables.handler + never,
            "SELECT bucket, handler, event_key FROM " + tables.processedEvent + never,
            "INSERT INTO "
                + tables.processedEvent
                + " (bucket, handler, event_key) SELECT bucket, handler, event_key FROM "
                + tables.processedEvent
                + never,
            "DELETE FROM " + tables.processedEvent + never,
            "SELECT entity_key, version FROM " + tables.entityVersion + never + " FOR UPDATE",
            "INSERT INTO "
                + tables.entityVersion
                + " (handler, entity_key, version) SELECT handler, entity_key, version FROM "
                + tables.entityVersion
                + never,
            "UPDATE " + tables.entityVersion + " SET version = 0" + never,
            "SELECT epoch, next_offset, topic_id FROM " + tables.fence + never + " FOR UPDATE",
            "INSERT INTO "
                + tables.fence
                + " (group_name, topic, partition_id, epoch, topic_id)"
                + " SELECT group_name, topic, partition_id, epoch, topic_id FROM "
                + tables.fence
                + never,
            "UPDATE " + tables.fence + " SET epoch = 0, next_offset = 0" + never,
            "UPDATE " + tables.window + " SET kept_from = 0, raised_at = 0" + never)) {
      try (PreparedStatement statement = tables.sql().add(sql).prepare(connection, timeout)) {
        statement.execute();
      }
    }
    Sql window = tables.sql().add("SELECT bucket_seconds FROM " + tables.window);
    try (PreparedStatement statement = window.prepare(connection, timeout);
        ResultSet row = statement.executeQuery()) {
      return row.next() ? row.getInt(1) : 0;
    }
  }
}
