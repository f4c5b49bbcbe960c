package dev.onceward.testkit;

import javax.sql.DataSource;

/** One database of a {@link PostgresServer}. Immutable and thread-safe. */
public final class TestDatabase implements AutoCloseable {
  private final PostgresServer server;
  private final String name;
  private final String jdbcUrl;
  private final DataSource dataSource;

  TestDatabase(PostgresServer server, String name, String jdbcUrl, DataSource dataSource) {
    this.server = server;
    this.name = name;
    this.jdbcUrl = jdbcUrl;
    this.dataSource = dataSource;
  }

  /** The name of the database. */
  public String name() {
    return name;
  }

  /** The database's URL, without user and password. */
  public String jdbcUrl() {
    return jdbcUrl;
  }

  /** The user that may do everything. */
  public String user() {
    return server.user();
  }

  /** The password of {@link #user}. */
  public String password() {
    return server.password();
  }

  /** New connections to this database; no pool. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** The server that the database is on. */
  public PostgresServer server() {
    return server;
  }

  /** Drops the database, ending its sessions; does nothing when the server does not run. */
  @Override
  public void close() {
    server.drop(name);
  }

  @Override
  public String toString() {
    return jdbcUrl;
  }
}
