package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
import dev.onceward.dedupe.InboxUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Checks the database on a helper thread, because a data source may hang longer than the caller is
 * willing to wait. There is never more than one helper: while one hangs, later checks wait for it.
 */
public final class Verification {
  private final DataSource dataSource;
  private final Buckets buckets;
  private final Dialect dialect;
  private final Diagnosis diagnosis;
  private final Semaphore helper = new Semaphore(1);

  public Verification(InboxConfig config, Dialect dialect, Diagnosis diagnosis) {
    this.dataSource = config.dataSource();
    this.buckets = config.buckets();
    this.dialect = dialect;
    this.diagnosis = diagnosis;
  }

  /** Checks the inbox's own tables. */
  public void run(Duration timeout) {
    run(timeout, connection -> rehearse(connection, timeout));
  }

  /** Checks a handler's table. */
  public void run(GuardedRow row, Duration timeout) {
    run(
        timeout,
        connection -> {
          try {
            dialect.look(connection, row);
          } catch (SQLException e) {
            throw diagnosis.guardedRow(row, e);
          }
        });
  }

  private void run(Duration timeout, Consumer<Connection> work) {
    long nanos = TimeUnit.NANOSECONDS.convert(timeout);
    long deadline = System.nanoTime() + nanos;
    try {
      if (!helper.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        throw diagnosis.noAnswer(timeout);
      }
      FutureTask<Void> check =
          new FutureTask<>(
              () -> {
                check(work);
                return null;
              });
      Thread thread = start(check);
      await(check, thread, deadline, timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw diagnosis.interrupted();
    }
  }

  private Thread start(FutureTask<Void> check) {
    Thread thread =
        new Thread(
            () -> {
              try {
                check.run();
              } finally {
                helper.release();
              }
            },
            "onceward-inbox-verify");
    thread.setDaemon(true);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        helper.release();
      }
    }
    return thread;
  }

  private void await(FutureTask<Void> check, Thread thread, long deadline, Duration timeout)
      throws InterruptedException {
    boolean done = false;
    try {
      check.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      done = true;
    } catch (TimeoutException e) {
      throw diagnosis.noAnswer(timeout);
    } catch (ExecutionException e) {
      done = true;
      if (e.getCause() instanceof InboxUnavailableException unavailable) {
        throw unavailable;
      }
      throw new IllegalStateException("the check of the inbox's database failed", e.getCause());
    } finally {
      if (!done) {
        thread.interrupt();
      }
    }
  }

  private void check(Consumer<Connection> work) throws InterruptedException {
    try (BorrowedConnection borrowed = BorrowedConnection.open(dataSource, dialect, diagnosis)) {
      try {
        work.accept(borrowed.connection());
      } finally {
        borrowed.rollbackUnused();
      }
    }
  }

  private void rehearse(Connection connection, Duration timeout) {
    try {
      diagnosis.requireBuckets(OptionalInt.of(dialect.rehearse(connection, timeout)), buckets);
    } catch (SQLException e) {
      throw explain(connection, e);
    }
  }

  private InboxUnavailableException explain(Connection connection, SQLException failure) {
    try {
      connection.rollback();
      List<String> missing = dialect.missingTables(connection);
      if (!missing.isEmpty()) {
        return diagnosis.tablesMissing(missing, failure);
      }
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
    return diagnosis.failed("do the inbox's work", failure);
  }
}
