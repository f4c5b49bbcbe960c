package dev.onceward.dedupe.hygiene;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * How large the connection pool of one instance may be, so that all instances together, also while
 * a new version is rolled out, fit into what the server has.
 */
public final class PoolSize {
  private PoolSize() {}

  /**
   * {@code (maxConnections - reserved) / (replicas + surge)}, rounded down.
   *
   * @param maxConnections the server's {@code max_connections}
   * @param reserved connections that this application must leave to others: the server's reserved
   *     ones, migrations, backups, people
   * @param replicas instances of the application
   * @param surge instances more while a new version is rolled out, such as {@code maxSurge} of a
   *     Kubernetes deployment
   * @return the size of one pool, at least 1
   * @throws IllegalArgumentException if a figure is out of range, or nothing is left for a pool;
   *     the message names the figures
   */
  public static int of(int maxConnections, int reserved, int replicas, int surge) {
    if (maxConnections < 1) {
      throw new IllegalArgumentException("maxConnections must be at least 1: " + maxConnections);
    }
    if (reserved < 0) {
      throw new IllegalArgumentException("reserved must not be negative: " + reserved);
    }
    if (replicas < 1) {
      throw new IllegalArgumentException("replicas must be at least 1: " + replicas);
    }
    if (surge < 0) {
      throw new IllegalArgumentException("surge must not be negative: " + surge);
    }
    long size = ((long) maxConnections - reserved) / ((long) replicas + surge);
    if (size < 1) {
      throw new IllegalArgumentException(
          "no connection is left for a pool: max_connections "
              + maxConnections
              + " less "
              + reserved
              + " reserved, shared by "
              + replicas
              + " replicas and a surge of "
              + surge
              + "; raise max_connections, run fewer instances, or put a pooler in front");
    }
    return (int) size;
  }

  /**
   * As {@link #of}, with {@code max_connections} and the connections that the server itself
   * reserves ({@code superuser_reserved_connections}, and {@code reserved_connections} since
   * PostgreSQL 16) asked from the server. A pooler in between, such as PgBouncer, has limits of its
   * own, which this does not see; nor does it see limits of the role or the database.
   *
   * @param dataSource any data source of that server; one connection is borrowed for a moment
   * @param reserved connections that must be left to others, besides those the server reserves
   * @param replicas instances of the application
   * @param surge instances more while a new version is rolled out
   * @return the size of one pool, at least 1
   * @throws SQLException if the server cannot be asked
   * @throws IllegalArgumentException as {@link #of}
   */
  public static int onServer(DataSource dataSource, int reserved, int replicas, int surge)
      throws SQLException {
    if (reserved < 0) {
      throw new IllegalArgumentException("reserved must not be negative: " + reserved);
    }
    try (Connection connection = dataSource.getConnection()) {
      return onServer(connection, reserved, replicas, surge);
    }
  }

  private static int onServer(Connection connection, int reserved, int replicas, int surge)
      throws SQLException {
    boolean commits = !connection.getAutoCommit();
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT current_setting('max_connections')::int,"
                    + " current_setting('superuser_reserved_connections')::int"
                    + " + coalesce(current_setting('reserved_connections', true), '0')::int");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return of(row.getInt(1), reserved + row.getInt(2), replicas, surge);
    } finally {
      if (commits) {
        connection.commit();
      }
    }
  }
}
