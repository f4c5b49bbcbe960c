package dev.onceward.dedupe.hygiene;

import static java.util.Objects.requireNonNull;

import dev.onceward.dedupe.internal.hygiene.HygieneMonitor;
import dev.onceward.dedupe.internal.hygiene.HygienicConnection;
import dev.onceward.dedupe.internal.hygiene.MeteredDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A data source whose connections are checked when they are given back, on the stack of whoever
 * gives them back: {@code close()} throws a {@link HygieneViolationException} when state of the
 * borrower was left on them, and the connection is taken out of its pool.
 *
 * <pre>{@code
 * DataSource dataSource =
 *     HygienicDataSource.over(
 *         pool, ConnectionHygiene.builder().watch("app.tenant_id").build());
 * }</pre>
 *
 * <p>Works over any data source, a pool as a rule. The server check is for PostgreSQL; over other
 * databases the cheap checks work. What a clean connection looks like, the first connection shows;
 * see {@link ConnectionHygiene.Builder#expect}. Thread-safe; it holds no connection and needs no
 * closing, the pool stays the caller's.
 *
 * <p>Give it to a {@link dev.onceward.dedupe.JdbcInbox} as it is: the inbox then takes over its
 * settings and counts, and checks before its commit too.
 */
public final class HygienicDataSource implements DataSource {
  private final DataSource pool;
  private final MeteredDataSource metered;
  private final HygieneMonitor monitor;

  private HygienicDataSource(DataSource pool, ConnectionHygiene hygiene) {
    this.pool = requireNonNull(pool, "pool");
    this.metered = new MeteredDataSource(pool, null);
    this.monitor = new HygieneMonitor(requireNonNull(hygiene, "hygiene"));
  }

  /** Wraps a data source. */
  public static HygienicDataSource over(DataSource pool, ConnectionHygiene hygiene) {
    return new HygienicDataSource(pool, hygiene);
  }

  /** What the checks have done so far. */
  public HygieneCounts counts() {
    return monitor.counts();
  }

  /** How long borrowers wait, and how full the pool is. */
  public PoolFigures figures() {
    return metered.figures();
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection raw = metered.getConnection();
    return monitor.isOn() ? HygienicConnection.lend(pool, raw, monitor) : raw;
  }

  /**
   * Refused: connections of several users have no common baseline.
   *
   * @throws SQLFeatureNotSupportedException always
   */
  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException(
        "connections of several users have no common baseline; use getConnection(), and a"
            + " HygienicDataSource for each user");
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    pool.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    pool.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return pool.getParentLogger();
  }

  /** Unwraps to the wrapped data source too; its connections are not checked. */
  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    for (Object candidate : new Object[] {this, metered, monitor, pool}) {
      if (type.isInstance(candidate)) {
        return type.cast(candidate);
      }
    }
    return pool.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this)
        || type.isInstance(metered)
        || type.isInstance(monitor)
        || type.isInstance(pool)
        || pool.isWrapperFor(type);
  }
}
