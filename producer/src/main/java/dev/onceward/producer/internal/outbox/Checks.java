package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.OutboxUnavailableException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What must be right about the tables before a relay works with them. */
public final class Checks {
  private static final String POSTGRESQL = "PostgreSQL";
  private static final int MIN_VERSION = 14;

  private final OutboxTables tables;

  public Checks(OutboxTables tables) {
    this.tables = tables;
  }

  /**
   * Checks.
   *
   * @throws OutboxUnavailableException naming everything that is wrong
   * @throws SQLException when the database cannot be asked
   */
  public void run(Session session) throws SQLException {
    List<String> problems = session.run(this::problems);
    if (!problems.isEmpty()) {
      throw new OutboxUnavailableException(
          "the outbox cannot work: " + String.join("; ", problems), null);
    }
  }

  /**
   * Requires a database that the outbox's statements are for.
   *
   * @throws OutboxUnavailableException naming the one that the data source leads to
   */
  static void requirePostgres(Connection connection) throws SQLException {
    DatabaseMetaData server = connection.getMetaData();
    String product = server.getDatabaseProductName();
    boolean postgres = POSTGRESQL.equals(product);
    int version = postgres ? server.getDatabaseMajorVersion() : 0;
    if (version < MIN_VERSION) {
      throw new OutboxUnavailableException(
          "the outbox needs PostgreSQL "
              + MIN_VERSION
              + " or later; this data source leads to "
              + product
              + (postgres ? " " + version : ""),
          null);
    }
  }

  private List<String> problems(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>();
    requirePostgres(connection);
    List<String> missing = Catalog.missing(connection, tables);
    if (!missing.isEmpty()) {
      String where =
          tables.schema() == null ? " on the search path" : " in schema " + tables.schema();
      return List.of(String.join(", ", missing) + " missing" + where + ", " + Schema.fix(tables));
    }
    if (isTrue(
        connection,
        "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean")) {
      problems.add(
          "the database is read-only, point the data source at the primary and make it writable");
    }
    sequence(connection, problems);
    index(connection, problems);
    privileges(connection, problems);
    if (problems.isEmpty()) {
      shards(connection, problems);
    }
    return problems;
  }

  private void sequence(Connection connection, List<String> problems) throws SQLException {
    String name = tables.prefix() + "outbox_seq";
    boolean right =
        Catalog.is(
            connection,
            tables,
            "SELECT s.seqcache = 1 AND s.seqincrement > 0 AND NOT s.seqcycle FROM"
                + " pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid WHERE"
                + " c.relname = ? AND %s",
            name);
    if (!right) {
      problems.add(
          "sequence "
              + name
              + " must have CACHE 1, a positive INCREMENT and NO CYCLE, or events leave in the wrong"
              + " order, ALTER SEQUENCE "
              + tables.sequence()
              + " CACHE 1 INCREMENT 1 NO CYCLE");
    }
  }

  private void index(Connection connection, List<String> problems) throws SQLException {
    String name = tables.prefix() + "outbox";
    boolean there =
        Catalog.is(
            connection,
            tables,
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid ="
                + " i.indrelid WHERE c.relname = ? AND %s AND i.indisvalid AND i.indpred IS NULL AND"
                + " (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(i.indkey) WITH"
                + " ORDINALITY k(attnum, place) JOIN pg_catalog.pg_attribute a ON a.attrelid ="
                + " i.indrelid AND a.attnum = k.attnum WHERE k.place <= 2) = ARRAY['bucket', 'seq'])",
            name);
    if (!there) {
      problems.add(
          "table "
              + name
              + " has no valid index on (bucket, seq), ALTER TABLE "
              + tables.outbox()
              + " ADD PRIMARY KEY (bucket, seq)");
    }
  }

  private void privileges(Connection connection, List<String> problems) throws SQLException {
    for (String table : List.of("outbox", "outbox_dead", "outbox_lease", "outbox_relay")) {
      String name = tables.prefix() + table;
      boolean granted =
          Catalog.is(
              connection,
              tables,
              "SELECT bool_and(has_table_privilege(c.oid, p)) FROM pg_catalog.pg_class c,"
                  + " unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p WHERE c.relname = ?"
                  + " AND %s",
              name);
      if (!granted) {
        problems.add("the user lacks a privilege, GRANT SELECT, INSERT, UPDATE, DELETE ON " + name);
      }
    }
    String sequence = tables.prefix() + "outbox_seq";
    if (!Catalog.is(
        connection,
        tables,
        "SELECT has_sequence_privilege(c.oid, 'SELECT') FROM pg_catalog.pg_class c WHERE c.relname"
            + " = ? AND %s",
        sequence)) {
      problems.add("the user lacks a privilege, GRANT SELECT ON SEQUENCE " + sequence);
    }
  }

  private void shards(Connection connection, List<String> problems) throws SQLException {
    if (!isTrue(
        connection,
        "SELECT count(*) = "
            + Buckets.SHARDS
            + " FROM "
            + tables.lease()
            + " WHERE shard BETWEEN 0 AND "
            + (Buckets.SHARDS - 1))) {
      problems.add(
          tables.lease()
              + " must have a row for each shard from 0 to "
              + (Buckets.SHARDS - 1)
              + ", "
              + "run the last INSERT of dev/onceward/producer/outbox/postgresql.sql");
    }
  }

  private static boolean isTrue(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      return result.next() && result.getBoolean(1);
    }
  }
}
