package dev.onceward.producer.internal.outbox;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Runs the events of one thread: those handed in by others, and those whose time has come. */
final class EventLoop {
  private static final int MOST_AT_ONCE = 2_000;
  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(1);

  private record Timer(long at, Runnable event) {}

  private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparing(Timer::at, (a, b) -> Long.signum(a - b)));
  private final List<Runnable> taken = new ArrayList<>();
  private volatile long lastRound = System.nanoTime();

  /** Hands an event in; from any thread. */
  void execute(Runnable event) {
    queue.add(event);
  }

  /** Runs an event later; on the loop only. */
  void after(long nanos, Runnable event) {
    timers.add(new Timer(System.nanoTime() + nanos, event));
  }

  /** When the loop last went round, by {@link System#nanoTime}. */
  long lastRound() {
    return lastRound;
  }

  /** Runs events until {@code ended}, and {@code round} after each handful. */
  void run(Runnable round, BooleanSupplier ended) throws InterruptedException {
    while (!ended.getAsBoolean()) {
      Runnable first = queue.poll(untilNextTimer(), TimeUnit.NANOSECONDS);
      if (first != null) {
        taken.add(first);
        queue.drainTo(taken, MOST_AT_ONCE);
        taken.forEach(Runnable::run);
        taken.clear();
      }
      runTimers();
      round.run();
      lastRound = System.nanoTime();
    }
  }

  private long untilNextTimer() {
    Timer next = timers.peek();
    return next == null
        ? LONGEST_WAIT
        : Math.max(0, Math.min(LONGEST_WAIT, next.at() - System.nanoTime()));
  }

  private void runTimers() {
    long now = System.nanoTime();
    for (@Nullable Timer next = timers.peek();
        next != null && next.at() - now <= 0;
        next = timers.peek()) {
      timers.remove();
      next.event().run();
    }
  }
}
