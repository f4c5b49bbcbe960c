package dev.onceward.dedupe.internal.hygiene;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The hygiene of one inbox. Thread-safe. */
public final class InboxHygiene {
  private final HygieneMonitor monitor;
  private final DataSource pool;
  private final Offenders offenders = new Offenders();

  /**
   * @param pool the data source as the user gave it, for the evictor
   */
  public InboxHygiene(HygieneMonitor monitor, DataSource pool) {
    this.monitor = monitor;
    this.pool = pool;
  }

  public HygieneMonitor monitor() {
    return monitor;
  }

  /** Begins to watch a connection on which no transaction is open; null when hygiene is off. */
  public @Nullable Inspection inspect(Connection connection) throws SQLException {
    return monitor.isOn() ? new Inspection(monitor, offenders, pool, connection) : null;
  }
}
