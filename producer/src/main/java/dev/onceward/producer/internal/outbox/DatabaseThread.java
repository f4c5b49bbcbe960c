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

  private final String subject;
  private final EventLoop loop;
  private final Problems problems;
  private final Session session;
  private final ExecutorService executor;
  private int failures;

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
          } catch (RuntimeException e) {
            loop.execute(
                () -> {
                  throw e;
                });
          }
        });
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
