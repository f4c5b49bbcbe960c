package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.internal.Batch;
import dev.onceward.dedupe.internal.Dialect;
import dev.onceward.dedupe.internal.Facts;
import dev.onceward.dedupe.internal.FenceClaim;
import dev.onceward.dedupe.internal.FenceKey;
import dev.onceward.dedupe.internal.FenceState;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.Settlement;
import dev.onceward.dedupe.internal.SqlStates;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The inbox in several small statements, for databases that have no statement that writes and
 * returns rows at once. It relies on this: a statement that fails undoes itself and leaves the
 * transaction open; an insert waits for a concurrent one of the same key. Thread-safe.
 */
public final class PortableDialect implements Dialect {
  private final Flavor flavor;
  private final PortableTables tables;
  private final PortableClaims claims;
  private final PortableSettlement settlement;
  private final PortableFences fences;
  private final PortableSchema schema;
  private final PortableMaintenance maintenance;

  public PortableDialect(InboxConfig config, Flavor flavor) {
    this.flavor = flavor;
    this.tables = new PortableTables(flavor, config.tables());
    this.fences = new PortableFences(tables);
    this.claims = new PortableClaims(config, tables);
    this.settlement = new PortableSettlement(tables);
    this.schema = new PortableSchema(config, tables);
    this.maintenance = new PortableMaintenance(config, tables);
  }

  @Override
  public Database database() {
    return flavor.database();
  }

  @Override
  public String sqlState(SQLException failure) {
    return flavor.sqlState(failure);
  }

  @Override
  public SqlRules rules() {
    return flavor.rules();
  }

  @Override
  public TransactionProbe probe(Connection connection) {
    return flavor.probe(connection);
  }

  @Override
  public Facts claim(Connection connection, Batch batch) throws SQLException {
    flavor.begin(connection);
    return claims.claim(connection, batch);
  }

  @Override
  public void settle(Connection connection, Settlement settlement) throws SQLException {
    this.settlement.settle(connection, settlement);
  }

  @Override
  public Map<FenceKey, FenceState> confirm(Connection connection, List<FenceClaim> claims)
      throws SQLException {
    return fences.confirm(connection, claims);
  }

  @Override
  public FenceState takeFence(Connection connection, FenceScope scope) throws SQLException {
    flavor.begin(connection);
    return fences.take(connection, scope);
  }

  @Override
  public void registerHandlers(Connection connection, Collection<String> handlerIds)
      throws SQLException {
    flavor.begin(connection);
    for (String name : new TreeSet<>(handlerIds)) {
      try {
        tables
            .sql()
            .add("INSERT INTO " + tables.handler + " (name) VALUES (")
            .name(name)
            .add(")")
            .update(connection);
      } catch (SQLException e) {
        if (!flavor.sqlState(e).equals(SqlStates.UNIQUE_VIOLATION)) {
          throw e;
        }
      }
    }
  }

  @Override
  public int rehearse(Connection connection, Duration timeout) throws SQLException {
    return schema.rehearse(connection, timeout);
  }

  @Override
  public void look(Connection connection, GuardedRow row) throws SQLException {
    claims.look(connection, row);
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
    maintenance.maintain(connection);
  }
}
