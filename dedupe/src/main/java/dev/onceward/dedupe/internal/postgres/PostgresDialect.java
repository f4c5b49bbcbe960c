package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxEntry.Mode;
import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.Claim;
import dev.onceward.dedupe.internal.Dialect;
import dev.onceward.dedupe.internal.EntityRow;
import dev.onceward.dedupe.internal.EventRow;
import dev.onceward.dedupe.internal.Facts;
import dev.onceward.dedupe.internal.FenceClaim;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import dev.onceward.dedupe.internal.Guard;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.Settlement;
import dev.onceward.dedupe.internal.SqlStates;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** PostgreSQL 14 or newer. Thread-safe. */
public final class PostgresDialect implements Dialect {
  private final PostgresStatements statements;
  private final PostgresSingle single;
  private final PostgresMany many;
  private final PostgresFences fences;
  private final PostgresSchema schema;
  private final PostgresPartitions partitions;

  public PostgresDialect(InboxConfig config) {
    this.statements = new PostgresStatements(config);
    this.single = new PostgresSingle(statements, config.beyondWindow());
    this.many = new PostgresMany(statements);
    this.fences = new PostgresFences(statements);
    this.schema = new PostgresSchema(config.tables(), config.buckets());
    this.partitions = new PostgresPartitions(config, statements);
  }

  @Override
  public Database database() {
    return Database.POSTGRESQL;
  }

  @Override
  public SqlRules rules() {
    return SqlRules.POSTGRESQL;
  }

  @Override
  public Facts claim(Connection connection, Batch batch) throws SQLException {
    if (batch.claimsNothing() && statements.beginsWithNothing()) {
      return new Facts(
          "", OptionalInt.empty(), 0, Set.of(), Set.of(), Map.of(), Map.of(), Map.of(), true);
    }
    try {
      return batch.size() == 1
          ? single.claim(connection, batch, Duration.ZERO)
          : many.claim(connection, batch, Duration.ZERO);
    } catch (SQLException e) {
      if (SqlStates.is(e, SqlStates.CHECK_VIOLATION)) {
        // on its way to the default partition while a partition of its own was made
        throw new SQLException(
            "a partition was made meanwhile: " + e.getMessage(),
            SqlStates.SERIALIZATION_FAILURE,
            e);
      }
      throw e;
    }
  }

  @Override
  public void settle(Connection connection, Settlement settlement) throws SQLException {
    many.settle(connection, settlement);
  }

  @Override
  public Map<FenceKey, FenceState> confirm(Connection connection, List<FenceClaim> claims)
      throws SQLException {
    return fences.confirm(connection, claims);
  }

  @Override
  public FenceState takeFence(Connection connection, FenceScope scope) throws SQLException {
    return fences.take(connection, scope);
  }

  @Override
  public void registerHandlers(Connection connection, Collection<String> handlerIds)
      throws SQLException {
    Query query = new Query().add("INSERT INTO " + statements.handler);
    query.add(" (name) SELECT name FROM unnest(").texts(new TreeSet<>(handlerIds));
    query.add(") name ORDER BY name ON CONFLICT (name) DO NOTHING");
    try (PreparedStatement statement = query.prepare(connection)) {
      statement.executeUpdate();
    }
  }

  @Override
  public TransactionProbe probe(Connection connection) throws SQLException {
    return Probes.on(connection);
  }

  @Override
  public int rehearse(Connection connection, Duration timeout) throws SQLException {
    // No handler and no group has an empty name, so nothing is found to write, but every statement
    // is checked in full.
    FenceKey fence = new FenceKey("", "", 0);
    Claim latest = rehearsal(Mode.LATEST, fence);
    Claim next = rehearsal(Mode.NEXT, fence);
    single.claim(connection, Batch.of(List.of(latest), Map.of()), timeout);
    Facts facts = single.claim(connection, Batch.of(List.of(next), Map.of()), timeout);
    many.claim(connection, Batch.of(List.of(latest), Map.of()), timeout);
    many.claim(connection, Batch.of(List.of(latest, next), Map.of()), timeout);
    SortedMap<EntityRow.Own, Long> none = new TreeMap<>();
    SortedMap<EntityRow.Own, Long> moved = new TreeMap<>(Map.of(new EntityRow.Own("", NO_KEY), 0L));
    EventRow event = new EventRow("", 0, NO_KEY);
    many.settle(connection, new Settlement(new TreeSet<>(Set.of(event)), none, moved));
    fences.confirm(connection, List.of(new FenceClaim(fence, 0, true, 0, 1)));
    Query query = new Query().add("WITH a AS (INSERT INTO " + statements.handler);
    query.add(" (name) SELECT '' WHERE false ON CONFLICT (name) DO NOTHING) INSERT INTO ");
    query.add(statements.fence + " (epoch, partition_id, group_name, topic) SELECT 1, 0, '', ''");
    query.add(" WHERE false ON CONFLICT (group_name, topic, partition_id)");
    query.add(" DO UPDATE SET epoch = excluded.epoch");
    try (PreparedStatement statement = query.prepare(connection, timeout)) {
      statement.executeUpdate();
    }
    return facts.bucketSeconds().orElse(0);
  }

  private static final UUID NO_KEY = new UUID(0, 0);

  private static Claim rehearsal(Mode mode, FenceKey fence) {
    return new Claim(
        "",
        "",
        new EventRow("", 0, NO_KEY),
        new Guard(new EntityRow.Own("", NO_KEY), 0, mode, OptionalLong.empty()),
        fence,
        0,
        OptionalLong.empty());
  }

  @Override
  public void look(Connection connection, GuardedRow row) throws SQLException {
    String sql =
        "SELECT t."
            + PostgresStatements.quoted(row.keyColumn())
            + ", t."
            + PostgresStatements.quoted(row.versionColumn())
            + "::bigint FROM "
            + PostgresStatements.quotedTable(row)
            + " t WHERE false FOR NO KEY UPDATE OF t";
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public List<String> missingTables(Connection connection) throws SQLException {
    return schema.missingTables(connection);
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    schema.create(connection);
  }

  @Override
  public void maintain(Connection connection) throws SQLException {
    partitions.maintain(connection);
  }
}
