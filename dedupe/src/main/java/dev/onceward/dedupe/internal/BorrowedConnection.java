package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import dev.onceward.dedupe.internal.hygiene.DroppedConnection;
import dev.onceward.dedupe.internal.hygiene.InboxHygiene;
import dev.onceward.dedupe.internal.hygiene.Inspection;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of the data source, out of autocommit while it is borrowed. Closing gives it back as
 * it came; when that is impossible the physical connection is aborted, never handed on in an
 * unknown state. Closing never throws: by then the outcome is decided.
 */
final class BorrowedConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BorrowedConnection.class);

  private final Connection connection;
  private final TransactionProbe probe;
  private final boolean restoreAutoCommit;
  private boolean broken;
  private @Nullable Inspection inspection;

  private BorrowedConnection(
      Connection connection, TransactionProbe probe, boolean restoreAutoCommit) {
    this.connection = connection;
    this.probe = probe;
    this.restoreAutoCommit = restoreAutoCommit;
  }

  static BorrowedConnection open(DataSource dataSource, Dialect dialect, Diagnosis diagnosis)
      throws InterruptedException {
    Connection connection = null;
    try {
      connection = dataSource.getConnection();
      TransactionProbe probe = dialect.probe(connection);
      TransactionProbe.State state = probe.peek();
      if (state != null && state != TransactionProbe.State.IDLE) {
        throw diagnosis.transactionOpenAtStart();
      }
      boolean autoCommit = connection.getAutoCommit();
      if (autoCommit) {
        connection.setAutoCommit(false);
      }
      return new BorrowedConnection(connection, probe, autoCommit);
    } catch (SQLException | RuntimeException e) {
      // Pools that connect lazily throw their own runtime exceptions.
      if (connection != null) {
        closeQuietly(connection, e);
      }
      if (e instanceof InboxUnavailableException unavailable) {
        throw unavailable;
      }
      Interruption.check(e);
      throw diagnosis.noConnection(e);
    }
  }

  Connection connection() {
    return connection;
  }

  TransactionProbe probe() {
    return probe;
  }

  /** Drops the physical connection instead of giving it back. */
  void evict() {
    broken = true;
  }

  /** Begins to watch what is left on the connection; to be called before its first statement. */
  void inspect(InboxHygiene hygiene) throws SQLException {
    inspection = hygiene.inspect(connection);
  }

  /** What watches the connection, or null. */
  @Nullable Inspection inspection() {
    return inspection;
  }

  /** Rolls back because of {@code failure}, which learns of a failing rollback. */
  void rollbackAfter(Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException | RuntimeException e) {
      broken = true;
      if (e != failure) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Rolls back a transaction that has done nothing that matters. */
  void rollbackUnused() {
    try {
      connection.rollback();
    } catch (SQLException | RuntimeException e) {
      broken = true;
      LOG.warn("Cannot roll back after skipping an event; the connection is dropped", e);
    }
  }

  @Override
  public void close() {
    if (!broken && restoreAutoCommit) {
      try {
        connection.setAutoCommit(true);
      } catch (SQLException | RuntimeException e) {
        broken = true;
        LOG.warn("Cannot restore autocommit; the connection is dropped", e);
      }
    }
    if (!broken && inspection != null && inspection.isDirty()) {
      broken = true;
    }
    if (broken && (inspection == null || !inspection.isEvicted())) {
      try {
        DroppedConnection.end(connection);
      } catch (SQLException | RuntimeException e) {
        LOG.warn("Cannot abort a broken connection", e);
      }
    }
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      if (broken) {
        LOG.debug("A broken connection reports its state on close", e);
      } else {
        LOG.warn("Cannot give a connection back to its data source", e);
      }
    }
  }

  private static void closeQuietly(Connection connection, Exception failure) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
