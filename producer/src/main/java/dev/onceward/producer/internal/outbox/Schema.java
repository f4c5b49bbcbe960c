package dev.onceward.producer.internal.outbox;

import dev.onceward.dedupe.internal.TableNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Creates the outbox's tables with the shipped script, so that the two cannot drift apart. */
public final class Schema {
  /** The fix where schema and prefix are not known. */
  static final String CREATE =
      "run OutboxAdmin.createSchema(), with the same schema and tablePrefix";

  private static final String SCRIPT = "/dev/onceward/producer/outbox/postgresql.sql";

  /** Creators wait for each other: CREATE ... IF NOT EXISTS alone fails when it runs twice. */
  private static final long LOCK = 0x6f6e63656f757462L; // "onceoutb"

  private final OutboxTables tables;

  public Schema(OutboxTables tables) {
    this.tables = tables;
  }

  /** How to create them; the script as it is makes tables of the default names only. */
  static String fix(OutboxTables tables) {
    return tables.schema() == null && tables.prefix().equals(TableNames.DEFAULT_PREFIX)
        ? "run OutboxAdmin.createSchema() or the script dev/onceward/producer/outbox/postgresql.sql"
        : CREATE;
  }

  /** Creates what is missing and says whether there was: when not, no right to create is needed. */
  public boolean create(Session session) throws SQLException {
    return session.transaction(
        connection -> {
          Checks.requirePostgres(connection);
          if (isComplete(connection)) {
            return false;
          }
          try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
            if (isComplete(connection)) {
              return false;
            }
            createIn(statement);
            return true;
          }
        });
  }

  private boolean isComplete(Connection connection) throws SQLException {
    return Catalog.missing(connection, tables).isEmpty();
  }

  private void createIn(Statement statement) throws SQLException {
    String schema = tables.schema();
    if (schema != null) {
      statement.execute("CREATE SCHEMA IF NOT EXISTS " + TableNames.quotedSchema(schema));
      statement.execute("SET LOCAL search_path TO " + TableNames.quotedSchema(schema));
    }
    statement.execute(script());
  }

  private String script() {
    try (InputStream in = Schema.class.getResourceAsStream(SCRIPT)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + SCRIPT + " is missing from the jar");
      }
      String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return script.replace(TableNames.DEFAULT_PREFIX, tables.prefix());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + SCRIPT, e);
    }
  }
}
