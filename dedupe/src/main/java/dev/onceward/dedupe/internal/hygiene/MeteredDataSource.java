package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.PoolFigures;
import dev.onceward.dedupe.hygiene.PoolUsage;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Measures how long borrowers wait for a connection. Thread-safe. */
public final class MeteredDataSource implements DataSource {
  private final DataSource source;
  private final @Nullable Supplier<? extends @Nullable PoolUsage> usage;
  private final LongAdder acquired = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder totalNanos = new LongAdder();
  private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);
  private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

  /** One call that waits; equal to itself only. */
  private static final class Wait {
    private final long since = System.nanoTime();
  }

  /**
   * @param usage tells how full the pool is; null: found out if it is HikariCP's
   */
  public MeteredDataSource(
      DataSource source, @Nullable Supplier<? extends @Nullable PoolUsage> usage) {
    this.source = source;
    this.usage = usage == null ? Hikari.usage(source) : usage;
  }

  /** The data source that is measured. */
  public DataSource source() {
    return source;
  }

  public PoolFigures figures() {
    long now = System.nanoTime();
    long current = 0;
    int waiting = 0;
    for (Wait wait : waits) {
      waiting++;
      current = Math.max(current, now - wait.since);
    }
    return new PoolFigures(
        acquired.sum(),
        failed.sum(),
        Duration.ofNanos(totalNanos.sum()),
        Duration.ofNanos(longestNanos.get()),
        waiting,
        Duration.ofNanos(current),
        usage == null ? Optional.empty() : Optional.ofNullable(usage.get()));
  }

  @Override
  public Connection getConnection() throws SQLException {
    Wait wait = new Wait();
    waits.add(wait);
    boolean got = false;
    try {
      Connection connection = source.getConnection();
      got = true;
      return connection;
    } finally {
      waits.remove(wait);
      long nanos = System.nanoTime() - wait.since;
      totalNanos.add(nanos);
      longestNanos.accumulate(nanos);
      (got ? acquired : failed).increment();
    }
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return source.getConnection(username, password);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return source.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    source.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    source.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return source.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return source.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this)
        ? type.cast(this)
        : type.isInstance(source) ? type.cast(source) : source.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || type.isInstance(source) || source.isWrapperFor(type);
  }
}
