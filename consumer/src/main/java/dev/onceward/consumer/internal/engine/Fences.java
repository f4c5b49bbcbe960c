package dev.onceward.consumer.internal.engine;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Takes the fence of each ownership once the broker has taken its first commit, and only then lets
 * its work start. A commit proves that the partition is owned, so an owner that has lost it without
 * knowing cannot fence its successor. Thread-safe.
 */
final class Fences implements AutoCloseable {

  private static final Logger log = ConsumerLog.log;
  private static final String SUBJECT = "fences";
  private static final Duration MAX_BACK_OFF = Duration.ofSeconds(5);

  private final @Nullable Fencing fencing;
  private final Lanes lanes;
  private final Problems problems;
  private final Timer timer;
  private final Consumer<Throwable> fatal;

  /** One thread: of one partition, fences are taken in the order of its ownerships. */
  private final ThreadPoolExecutor thread;

  /** Lets what is ready start. */
  private final Runnable opened;

  /**
   * Creates it.
   *
   * @param fencing null when there is nothing to fence
   * @param opened runs when work may start
   */
  Fences(
      @Nullable Fencing fencing,
      Lanes lanes,
      Problems problems,
      Timer timer,
      String threadName,
      Runnable opened,
      Consumer<Throwable> fatal) {
    this.fencing = fencing;
    this.lanes = lanes;
    this.problems = problems;
    this.timer = timer;
    this.opened = opened;
    this.fatal = fatal;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread made = new Thread(task, threadName);
              made.setDaemon(true);
              return made;
            },
            new ThreadPoolExecutor.DiscardPolicy());
    this.thread.allowCoreThreadTimeOut(true);
  }

  /** The broker has taken the first commit of an ownership, or the first since it was refused. */
  void owned(Partition partition) {
    if (fencing == null) {
      lanes.open(partition);
      return;
    }
    partition.awaitsFence(true);
    thread.execute(() -> take(fencing, partition, 1));
  }

  private void take(Fencing source, Partition partition, int attempt) {
    try {
      if (!partition.isGone()) {
        partition.fence(source.take(partition.id()));
        partition.awaitsFence(false);
        lanes.open(partition);
        opened.run();
      }
      // another one that has to wait says so again
      problems.clear(SUBJECT);
    } catch (Exception e) {
      if (thread.isShutdown()) {
        return;
      }
      problems.raise(SUBJECT, "work of assigned partitions waits for them: " + e.getMessage());
      log.debug("no fence for {} yet", partition.id(), e);
      long millis = Math.min(MAX_BACK_OFF.toMillis(), 100L << Math.min(attempt, 10));
      timer.after(
          Duration.ofMillis(millis),
          () -> thread.execute(() -> take(source, partition, attempt + 1)));
    } catch (Throwable e) {
      // the thread would take it in silence
      fatal.accept(e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
