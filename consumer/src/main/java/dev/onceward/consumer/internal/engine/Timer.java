package dev.onceward.consumer.internal.engine;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs short actions later, on one daemon thread. Thread-safe. */
final class Timer implements AutoCloseable {

  private final ScheduledThreadPoolExecutor executor;
  private final Consumer<Throwable> fatal;

  Timer(String threadName, Consumer<Throwable> fatal) {
    this.fatal = fatal;
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            },
            // after close nothing that waits may matter any more
            (task, closed) -> {});
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    executor.setRemoveOnCancelPolicy(true);
  }

  void after(Duration delay, Runnable action) {
    Future<?> unused = watch(delay, action);
  }

  /** Runs the action after the delay, unless what is returned is cancelled before. */
  Future<?> watch(Duration delay, Runnable action) {
    return executor.schedule(
        () -> {
          try {
            action.run();
          } catch (Throwable e) {
            fatal.accept(e);
          }
        },
        delay.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
