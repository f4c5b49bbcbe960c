package dev.onceward.dedupe;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.postgresql.ds.PGSimpleDataSource;

/** A database of its own for a test class, on the one real PostgreSQL server of the test JVM. */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String name = "test_" + COUNT.incrementAndGet();
  private final List<HikariDataSource> pools = new ArrayList<>();

  @Override
  public void beforeAll(ExtensionContext context) throws SQLException {
    create();
  }

  /** For tests that JUnit's extensions do not reach. */
  public void create() throws SQLException {
    try (Connection connection = Server.INSTANCE.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  public void close() {
    pools.forEach(HikariDataSource::close);
  }

  public int port() {
    return Server.INSTANCE.getPort();
  }

  public String name() {
    return name;
  }

  /** Connections of the superuser without a pool, each new. */
  public PGSimpleDataSource plain() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setServerNames(new String[] {"localhost"});
    dataSource.setPortNumbers(new int[] {port()});
    dataSource.setDatabaseName(name);
    dataSource.setUser("postgres");
    return dataSource;
  }

  public HikariDataSource pool(int size) {
    return pool(size, plain());
  }

  public HikariDataSource pool(int size, DataSource source) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(30_000);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  public void execute(String sql) throws SQLException {
    try (Connection connection = plain().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of the first row. */
  public String text(String sql) throws SQLException {
    List<String> rows = texts(sql);
    if (rows.isEmpty()) {
      throw new AssertionError("no row for: " + sql);
    }
    return rows.get(0);
  }

  public long number(String sql) throws SQLException {
    return Long.parseLong(text(sql));
  }

  /** The first column of all rows. */
  public List<String> texts(String sql) throws SQLException {
    try (Connection connection = plain().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
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
