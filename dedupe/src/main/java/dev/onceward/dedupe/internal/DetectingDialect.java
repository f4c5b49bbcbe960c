package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.dedupe.internal.guard.SqlRules;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of the database that was named, or else of the one that the first connection leads
 * to. Every connection is shown to it by {@link #probe} before anything else is done there, and the
 * first one is asked whether all was meant for its database. Thread-safe.
 */
public final class DetectingDialect implements Dialect {
  private final InboxConfig config;
  private final Function<Database, Dialect> dialects;
  private volatile @Nullable Dialect known;
  private volatile boolean met;

  public DetectingDialect(InboxConfig config, Function<Database, Dialect> dialects) {
    this.config = config;
    this.dialects = dialects;
    if (config.database() != null) {
      known = dialects.apply(config.database());
    }
  }

  @Override
  public TransactionProbe probe(Connection connection) throws SQLException {
    if (!met) {
      meet(connection); // two first ones at once come to the same
      met = true;
    }
    return dialect().probe(connection);
  }

  private void meet(Connection connection) throws SQLException {
    String product = String.valueOf(connection.getMetaData().getDatabaseProductName());
    Database database = database(product);
    Database named = config.database();
    if (named == null) {
      known = detect(product, database);
    } else if (database != null && !named.script().equals(database.script())) {
      throw unavailable(
          "leads to "
              + database.productName()
              + ", but the inbox was built for "
              + named.productName()
              + "; correct JdbcInbox.builder(...).database(...) or remove it, or correct the data"
              + " source's URL");
    }
  }

  private Dialect detect(String product, @Nullable Database database) {
    if (database == null) {
      throw unavailable(
          "leads to a database that the inbox does not know: "
              + product
              + "; it works on PostgreSQL, MySQL, MariaDB and H2, and where yours is compatible with"
              + " one of them, say which, with JdbcInbox.builder(...).database(...)");
    }
    config
        .demands()
        .refusal(database)
        .ifPresent(
            refusal -> {
              throw unavailable("does not suit the inbox: " + refusal);
            });
    return dialects.apply(database);
  }

  private static @Nullable Database database(String product) {
    String name = product.toLowerCase(Locale.ROOT);
    for (Database database : Database.values()) {
      if (name.equals(database.productName().toLowerCase(Locale.ROOT))) {
        return database;
      }
    }
    return null;
  }

  private InboxUnavailableException unavailable(String problem) {
    return Diagnosis.unavailable(config.dataSourceName(), problem, null);
  }

  private Dialect dialect() {
    Dialect dialect = known;
    if (dialect == null) {
      throw new IllegalStateException("no connection was shown to the dialect yet");
    }
    return dialect;
  }

  @Override
  public @Nullable Database database() {
    Dialect dialect = known;
    return dialect == null ? null : dialect.database();
  }

  @Override
  public String sqlState(SQLException failure) {
    Dialect dialect = known;
    return dialect == null ? SqlStates.of(failure) : dialect.sqlState(failure);
  }

  @Override
  public SqlRules rules() {
    return dialect().rules();
  }

  @Override
  public Facts claim(Connection connection, Batch batch) throws SQLException {
    return dialect().claim(connection, batch);
  }

  @Override
  public void settle(Connection connection, Settlement settlement) throws SQLException {
    dialect().settle(connection, settlement);
  }

  @Override
  public Map<FenceKey, FenceState> confirm(Connection connection, List<FenceClaim> fences)
      throws SQLException {
    return dialect().confirm(connection, fences);
  }

  @Override
  public FenceState takeFence(Connection connection, FenceScope scope) throws SQLException {
    return dialect().takeFence(connection, scope);
  }

  @Override
  public void registerHandlers(Connection connection, Collection<String> handlerIds)
      throws SQLException {
    dialect().registerHandlers(connection, handlerIds);
  }

  @Override
  public int rehearse(Connection connection, Duration timeout) throws SQLException {
    return dialect().rehearse(connection, timeout);
  }

  @Override
  public void look(Connection connection, GuardedRow row) throws SQLException {
    dialect().look(connection, row);
  }

  @Override
  public List<String> missingTables(Connection connection) throws SQLException {
    return dialect().missingTables(connection);
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    dialect().createSchema(connection);
  }

  @Override
  public void maintain(Connection connection) throws SQLException {
    dialect().maintain(connection);
  }
}
