package dev.onceward.producer.outbox;

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
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.postgresql.ds.PGSimpleDataSource;

/** A database of its own for a test class, on the one real PostgreSQL server of the test JVM. */
public final class TestDatabase implements BeforeAllCallback {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String name = "outbox_" + COUNT.incrementAndGet();

  @Override
  public void beforeAll(ExtensionContext context) throws SQLException {
    try (Connection connection = Server.INSTANCE.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    }
  }

  /** Connections of the superuser without a pool, each new. */
  public PGSimpleDataSource dataSource() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setServerNames(new String[] {"localhost"});
    dataSource.setPortNumbers(new int[] {Server.INSTANCE.getPort()});
    dataSource.setDatabaseName(name);
    dataSource.setUser("postgres");
    return dataSource;
  }

  public PGSimpleDataSource dataSource(String schema) {
    PGSimpleDataSource dataSource = dataSource();
    dataSource.setCurrentSchema(schema);
    return dataSource;
  }

  /** A connection out of autocommit. */
  public Connection transaction() throws SQLException {
    Connection connection = dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  public void execute(String sql) throws SQLException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of all rows. */
  public List<String> texts(String sql) throws SQLException {
    try (Connection connection = dataSource().getConnection();
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
        return EmbeddedPostgres.builder().start();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start PostgreSQL", e);
      }
    }
  }
}
