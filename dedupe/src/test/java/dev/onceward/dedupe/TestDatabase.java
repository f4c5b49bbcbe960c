package dev.onceward.dedupe;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL. */
public final class TestDatabase extends SqlDatabase {
  private boolean created;

  @Override
  public void create() throws SQLException {
    if (created) {
      return;
    }
    try (Connection connection = Server.INSTANCE.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name());
      created = true;
    }
  }

  public int port() {
    return Server.INSTANCE.getPort();
  }

  @Override
  public PGSimpleDataSource plain() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setServerNames(new String[] {"localhost"});
    dataSource.setPortNumbers(new int[] {port()});
    dataSource.setDatabaseName(name());
    dataSource.setUser("postgres");
    return dataSource;
  }

  @Override
  PGSimpleDataSource withSessions(TransactionIsolation isolation) {
    PGSimpleDataSource dataSource = plain();
    dataSource.setOptions(
        "-c default_transaction_isolation="
            + isolation.sql().toLowerCase(Locale.ROOT).replace(" ", "\\ "));
    return dataSource;
  }

  @Override
  PGSimpleDataSource withSessionsAhead(int hours) {
    PGSimpleDataSource dataSource = plain();
    dataSource.setOptions("-c TimeZone=Etc/GMT%+d".formatted(-hours)); // POSIX counts the other way
    return dataSource;
  }

  @Override
  int deadlocks() {
    return 0;
  }

  @Override
  void createLedger() throws SQLException {
    Events.createLedger(this);
  }

  @Override
  String upsert(String table, String key, String value) {
    return "INSERT INTO %1$s (%2$s, %3$s) VALUES (?, ?) ON CONFLICT (%2$s) DO UPDATE SET %3$s = excluded.%3$s"
        .formatted(table, key, value);
  }

  @Override
  String quoted(String name) {
    return '"' + name + '"';
  }

  @Override
  void letTheNoteAge() throws SQLException {
    execute("UPDATE onceward_window SET raised_at = raised_at - interval '1 hour'");
  }

  @Override
  void bindKey(PreparedStatement statement, int number) throws SQLException {
    statement.setObject(2, new UUID(number, 0));
  }

  @Override
  long blocked() throws SQLException {
    return number(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND datname = current_database()");
  }

  private static final class Server {
    /** Stopped by its own shutdown hook. */
    static final EmbeddedPostgres INSTANCE = start();

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("max_connections", "120")
            .setServerConfig("deadlock_timeout", "100ms")
            .start();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start PostgreSQL", e);
      }
    }
  }
}
