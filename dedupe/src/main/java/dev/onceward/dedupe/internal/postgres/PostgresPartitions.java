package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.internal.Buckets;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.PartitionPlan;
import dev.onceward.dedupe.internal.SqlStates;
import dev.onceward.dedupe.internal.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes partitions of the dedupe table ahead and drops old ones, without ever holding up effects
 * for long. Thread-safe.
 *
 * <p>What is to be forgotten is noted first, and forgotten only when the note is old enough that no
 * claim can be under way which has not read it: such a claim would find an empty partition and take
 * an old event for a new one.
 */
final class PostgresPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresPartitions.class);

  /** Makers of partitions of one table wait for each other; the table's oid is added. */
  private static final long LOCK = 0x6f6e636500000000L; // "once"

  private static final int DELETE_BATCH = 5_000;
  private static final Duration NOTED = Duration.ofMinutes(10);

  private static final Pattern BOUNDS =
      Pattern.compile("FROM \\('?(-?\\d+|MINVALUE)'?\\) TO \\('?(-?\\d+|MAXVALUE)'?\\)");

  private final InboxConfig config;
  private final PostgresStatements statements;
  private final PatientSteps steps = new PatientSteps();
  private final AtomicBoolean told = new AtomicBoolean();

  PostgresPartitions(InboxConfig config, PostgresStatements statements) {
    this.config = config;
    this.statements = statements;
  }

  void maintain(Connection connection) throws SQLException {
    State state = read(connection);
    if (state.owner) {
      make(connection, state);
    } else if (!told.getAndSet(true)) {
      LOG.warn(
          "The data source's user does not own {}: no partitions are made or dropped, old rows are"
              + " deleted instead; let an inbox with the owner's data source call maintain() now"
              + " and then",
          statements.processedEvent);
    }
    if (state.forget > Buckets.FIRST) {
      if (state.owner) {
        drop(connection, state);
      }
      delete(connection, state.forget);
    }
    raise(connection);
  }

  private void make(Connection connection, State state) throws SQLException {
    PartitionPlan plan = new PartitionPlan(config.buckets(), config.window());
    for (int bucket : plan.wanted(state.now, state.keptFrom)) {
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      if (state.partitions.stream().noneMatch(partition -> partition.holds(bucket))
          && !steps.run(connection, statement -> make(statement, state, bucket))) {
        LOG.info(
            "Made no partition of {} for bucket {}: the table is busy; tried again next time",
            statements.processedEvent,
            bucket);
      }
    }
  }

  /**
   * Attaching asks for a weaker lock on the table than creating in place, so that effects go on.
   * The default partition is locked before its rows move, so that none comes in behind.
   */
  private void make(Statement statement, State state, int bucket) throws SQLException {
    String name =
        config.tables().processedEvent() + "_" + PartitionPlan.suffix(config.buckets(), bucket);
    String partition = quoted(state.schema, name);
    String fallback = quoted(state.schema, state.fallback);
    String table = quoted(state.schema, config.tables().processedEvent());
    statement.execute("SELECT pg_advisory_xact_lock(" + (LOCK + state.oid) + ")");
    try (ResultSet made =
        statement.executeQuery("SELECT to_regclass('" + partition.replace("'", "''") + "')")) {
      made.next();
      if (made.getString(1) != null) {
        return; // by another instance, meanwhile
      }
    }
    String range = " WHERE bucket >= " + bucket + " AND bucket < " + (bucket + 1L);
    statement.execute("CREATE TABLE " + partition + " (LIKE " + table + " INCLUDING ALL)");
    if (!state.fallback.isEmpty()) {
      statement.execute("LOCK TABLE " + fallback + " IN ACCESS EXCLUSIVE MODE");
      statement.execute(
          "WITH moved AS (DELETE FROM "
              + fallback
              + range
              + " RETURNING event_key, bucket, handler) INSERT INTO "
              + partition
              + " (event_key, bucket, handler) SELECT event_key, bucket, handler FROM moved");
    }
    statement.execute(
        "ALTER TABLE "
            + table
            + " ATTACH PARTITION "
            + partition
            + " FOR VALUES FROM ("
            + bucket
            + ") TO ("
            + (bucket + 1L)
            + ")");
  }

  /**
   * Empties partitions first, for which nobody has to wait since their events are refused; then
   * drops them at one go, which needs the whole table for a moment. What is not dropped is dropped
   * next time.
   */
  private void drop(Connection connection, State state) throws SQLException {
    List<String> empty = new ArrayList<>();
    for (Partition partition : state.partitions) {
      if (partition.from >= Buckets.FIRST
          && partition.to <= state.forget
          && !Thread.currentThread().isInterrupted()) {
        String name = quoted(partition.schema, partition.name);
        if (empty(connection, name)) {
          empty.add(name);
        }
      }
    }
    String names = String.join(", ", empty);
    if (!empty.isEmpty()
        && steps.run(connection, statement -> statement.execute("DROP TABLE IF EXISTS " + names))) {
      LOG.info("Dropped {}, whose events are older than the window", names);
    } else if (!empty.isEmpty()) {
      LOG.info("Emptied {}; they are dropped next time, the table is busy", names);
    }
  }

  private boolean empty(Connection connection, String name) throws SQLException {
    try {
      return steps.run(connection, statement -> statement.execute("TRUNCATE " + name));
    } catch (SQLException e) {
      if (SqlStates.is(e, SqlStates.UNDEFINED_TABLE)) {
        return false; // dropped by another instance, meanwhile
      }
      throw e;
    }
  }

  /** Walks along the key, so that no batch visits again what earlier ones have emptied. */
  private void delete(Connection connection, int before) throws SQLException {
    String from = "-2147483648, 0, 'ffffffff-ffff-ffff-ffff-ffffffffffff'";
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      String sql =
          """
          WITH old AS MATERIALIZED (
            SELECT bucket, handler, event_key FROM %1$s
            WHERE bucket > %2$d AND bucket < %3$d AND (bucket, handler, event_key) > (%4$s)
            ORDER BY bucket, handler, event_key LIMIT %5$d),
          gone AS (
            DELETE FROM %1$s p USING old WHERE p.bucket = old.bucket
            AND p.handler = old.handler AND p.event_key = old.event_key)
          SELECT (SELECT count(*) FROM old),
            concat(bucket, ', ', handler, ', ', quote_literal(event_key::text))
          FROM old ORDER BY bucket DESC, handler DESC, event_key DESC LIMIT 1"""
              .formatted(statements.processedEvent, Buckets.UNDATED, before, from, DELETE_BATCH);
      try (Statement statement = connection.createStatement()) {
        // READ COMMITTED, so that two at once do not fail each other
        statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        try (ResultSet batch = statement.executeQuery(sql)) {
          more = batch.next() && batch.getLong(1) == DELETE_BATCH;
          if (more) {
            from = batch.getString(2);
          }
        }
      }
      connection.commit();
    }
  }

  private void raise(Connection connection) throws SQLException {
    if (config.window().isEmpty()) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      statement.executeUpdate(
          "UPDATE "
              + statements.window
              + " SET raised_at = now(), kept_from = "
              + statements.keptFrom
              + " WHERE kept_from < "
              + statements.keptFrom);
    }
    connection.commit();
  }

  private State read(Connection connection) throws SQLException {
    Query query =
        new Query()
            .add(
                "SELECT c.oid, n.nspname, pg_has_role(c.relowner, 'USAGE')"
                    + " AND has_schema_privilege(n.oid, 'CREATE'), w.bucket_seconds, w.kept_from,"
                    + " w.raised_at < now() - make_interval(secs => ")
            .bigint(NOTED.plus(config.lockTimeout()).toSeconds())
            .add("), floor(extract(epoch FROM now()))::bigint FROM pg_catalog.pg_class c")
            .add(" JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, ")
            .add(statements.window + " w WHERE c.oid = ")
            .text(statements.processedEvent)
            .add("::regclass");
    State state;
    try (PreparedStatement statement = query.prepare(connection);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        throw new SQLException(
            statements.window + " has no row; run JdbcInbox.createSchema()",
            SqlStates.UNDEFINED_TABLE);
      }
      state =
          new State(
              row.getLong(1),
              row.getString(2),
              row.getBoolean(3),
              row.getInt(5),
              row.getBoolean(6) ? row.getInt(5) : Buckets.FIRST,
              row.getLong(7));
      if (row.getInt(4) != config.buckets().seconds()) {
        throw new SQLException(
            "the tables have a bucketWidth of "
                + row.getInt(4)
                + " s, the inbox is set to "
                + config.buckets().seconds()
                + " s");
      }
    }
    partitions(connection, state);
    connection.commit();
    return state;
  }

  private static void partitions(Connection connection, State state) throws SQLException {
    String sql =
        "SELECT c.relname, n.nspname, pg_get_expr(c.relpartbound, c.oid)"
            + " FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid"
            + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE i.inhparent = "
            + state.oid;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        String bounds = String.valueOf(row.getString(3));
        Matcher range = BOUNDS.matcher(bounds);
        if (range.find()) {
          state.partitions.add(
              new Partition(
                  row.getString(2),
                  row.getString(1),
                  range.group(1).equals("MINVALUE")
                      ? Buckets.UNDATED
                      : Long.parseLong(range.group(1)),
                  range.group(2).equals("MAXVALUE")
                      ? Long.MAX_VALUE
                      : Long.parseLong(range.group(2))));
        } else if (bounds.equals("DEFAULT")) {
          state.fallback = row.getString(1);
        }
      }
    }
  }

  private static String quoted(String schema, String name) {
    return TableNames.quotedSchema(schema) + "." + TableNames.quotedSchema(name);
  }

  /** A partition for the buckets from, inclusive, to, exclusive. */
  private record Partition(String schema, String name, long from, long to) {
    boolean holds(int bucket) {
      return from <= bucket && bucket < to;
    }
  }

  /** How the table is made up. */
  private static final class State {
    private final long oid;
    private final String schema;
    private final boolean owner;
    private final int keptFrom;

    /** The buckets before this one were noted long ago and may be forgotten. */
    private final int forget;

    private final long now;
    private final List<Partition> partitions = new ArrayList<>();
    private String fallback = "";

    State(long oid, String schema, boolean owner, int keptFrom, int forget, long now) {
      this.oid = oid;
      this.schema = schema;
      this.owner = owner;
      this.keptFrom = keptFrom;
      this.forget = forget;
      this.now = now;
    }
  }
}
