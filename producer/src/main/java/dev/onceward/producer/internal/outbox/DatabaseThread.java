package dev.onceward.producer.internal.outbox;

import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A thread with a database connection of its own that works for the event loop: results and
 * failures come back as events. After a failure it waits, longer each time.
 */
final class DatabaseThread {
  private static final long CLOSE_SECONDS = 10;
  private static final long SILENT_TOO_LONG = TimeUnit.SECONDS.toNanos(10);

  private final String subject;
  private final EventLoop loop;
  private final Problems problems;
  private final Session session;
  private final ExecutorService executor;
  private int failures;

  /** When the present work began, by {@link System#nanoTime}; null between two. */
  private volatile @Nullable Long begun;

  /** Belongs to the loop. */
  private boolean silent;

  DatabaseThread(
      String relay, String subject, DataSource dataSource, EventLoop loop, Problems problems) {
    this.subject = subject;
    this.loop = loop;
    this.problems = problems;
    this.session = new Session(dataSource);
    this.executor =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "onceward-outbox-" + relay + '-' + subject);
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Does some work.
   *
   * @param done gets the result, on the loop
   * @param failed runs on the loop after a pause
   */
  <T> void run(Session.Work<T> work, Consumer<T> done, Runnable failed) {
    executor.execute(
        () -> {
          begun = System.nanoTime();
          try {
            T result = work.with(session);
            failures = 0;
            problems.clear(subject);
            loop.execute(() -> done.accept(result));
          } catch (SQLException e) {
            failures++;
            problems.raise(subject, Session.explain(e));
            long pause = Backoff.nanos(failures);
            loop.execute(() -> loop.after(pause, failed));
          } catch (RuntimeException | Error e) {
            // the relay must fail with it: or it would wait for the result for ever
            loop.execute(
                () -> {
                  throw e;
                });
          } finally {
            begun = null;
          }
        });
  }

  /** Says it when the database does not answer, as while its tables are locked; on the loop. */
  void watch() {
    Long since = begun;
    boolean tooLong = since != null && System.nanoTime() - since > SILENT_TOO_LONG;
    String waiting = subject + ", waiting";
    if (tooLong) {
      problems.raise(
          waiting,
          "no answer of the database for more than 10 s; look for who holds a lock of the outbox's"
              + " tables");
    } else if (silent) {
      problems.clear(waiting);
    }
    silent = tooLong;
  }

  /** Does the last work and gives the connection back; waits for 10 s at most. */
  void close(Session.@Nullable Work<?> last) {
    executor.execute(
        () -> {
          try {
            if (last != null) {
              last.with(session);
            }
          } catch (SQLException e) {
            Problems.LOG.warn("Outbox relay, {} at the end: {}", subject, Session.explain(e));
          } finally {
            session.close();
          }
        });
    executor.shutdown();
    try {
      if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        Problems.LOG.warn("Outbox relay, {} does not end: its connection is left behind", subject);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
