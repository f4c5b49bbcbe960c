package dev.onceward.dedupe.internal.postgres;

import dev.onceward.dedupe.TransactionIsolation;
import dev.onceward.dedupe.internal.Claim;
import dev.onceward.dedupe.internal.Dialect;
import dev.onceward.dedupe.internal.TableNames;
import dev.onceward.dedupe.internal.Verdict;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** PostgreSQL 14 or newer. Thread-safe. */
public final class PostgresDialect implements Dialect {
  private final PostgresStatements statements;
  private final PostgresSchema schema;
  private final String claimEvent;
  private final String claimVersion;
  private final String claimBoth;
  private final String begin;

  public PostgresDialect(
      TableNames tables, Duration lockTimeout, @Nullable TransactionIsolation isolation) {
    this.statements = new PostgresStatements(tables, lockTimeout, isolation);
    this.schema = new PostgresSchema(tables);
    this.claimEvent = statements.claim(true, false);
    this.claimVersion = statements.claim(false, true);
    this.claimBoth = statements.claim(true, true);
    this.begin = statements.begin();
  }

  @Override
  public Verdict claim(Connection connection, Claim claim) throws SQLException {
    if (claim.isEmpty()) {
      if (!begin.isEmpty()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(begin);
        }
      }
      return Verdict.FRESH;
    }
    return claimRows(connection, claim, Duration.ZERO);
  }

  private Verdict claimRows(Connection connection, Claim claim, Duration timeout)
      throws SQLException {
    UUID eventKey = claim.eventKey();
    UUID entityKey = claim.entityKey();
    String sql = entityKey == null ? claimEvent : eventKey == null ? claimVersion : claimBoth;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(seconds(timeout));
      int parameter = 1;
      statement.setString(parameter++, claim.handlerId());
      if (eventKey != null) {
        statement.setObject(parameter++, eventKey);
      }
      if (entityKey != null) {
        statement.setObject(parameter++, entityKey);
        statement.setLong(parameter++, claim.version());
      }
      return verdict(statement);
    }
  }

  private static Verdict verdict(PreparedStatement statement) throws SQLException {
    try (ResultSet result = rows(statement, statement.execute())) {
      result.next();
      boolean known = result.getBoolean(1);
      boolean fresh = result.getBoolean(2);
      boolean current = result.getBoolean(3);
      if (!known) {
        return Verdict.UNKNOWN_HANDLER;
      }
      if (!fresh) {
        return Verdict.DUPLICATE;
      }
      return current ? Verdict.FRESH : Verdict.STALE;
    }
  }

  /** The rows behind a SET that was sent in front of them. */
  private static ResultSet rows(Statement statement, boolean first) throws SQLException {
    boolean rows = first;
    while (!rows) {
      if (statement.getUpdateCount() < 0) {
        throw new SQLException("the driver returned no rows for the inbox's statement");
      }
      rows = statement.getMoreResults();
    }
    return statement.getResultSet();
  }

  @Override
  public void registerHandler(Connection connection, String handlerId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statements.registerHandler())) {
      statement.setString(1, handlerId);
      statement.executeUpdate();
    }
  }

  @Override
  public TransactionProbe probe(Connection connection) throws SQLException {
    return Probes.on(connection);
  }

  @Override
  public void rehearse(Connection connection, Duration timeout) throws SQLException {
    UUID none = new UUID(0, 0);
    // No handler has an empty name, so the claim finds nothing to write, but is checked in full.
    claimRows(connection, new Claim("", "", none, none, 0), timeout);
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(seconds(timeout));
      statement.executeUpdate(statements.rehearseRegistration());
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
  public long prune(Connection connection, Duration olderThan, int batchSize) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String cutoff = cutoff(connection, olderThan);
      connection.commit();
      String tid = "(0,0)";
      long pruned = 0;
      boolean more = true;
      while (more && !Thread.currentThread().isInterrupted()) {
        try (ResultSet batch =
            rows(statement, statement.execute(statements.prune(cutoff, tid, batchSize)))) {
          batch.next();
          more = batch.getLong(1) == batchSize;
          pruned += batch.getLong(2);
          tid = batch.getString(3);
        }
        connection.commit();
      }
      return pruned;
    }
  }

  private String cutoff(Connection connection, Duration olderThan) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statements.cutoff())) {
      statement.setDouble(1, olderThan.toMillis() / 1000.0);
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        return result.getString(1);
      }
    }
  }

  private static int seconds(Duration timeout) {
    return timeout.isZero() ? 0 : (int) Math.min(Integer.MAX_VALUE, timeout.toSeconds() + 1);
  }
}
