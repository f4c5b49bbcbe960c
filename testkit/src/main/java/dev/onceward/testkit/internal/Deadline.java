package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.time.Duration;

/** A point in time by which something must have happened. */
public final class Deadline {
  private final Duration budget;
  private final long end;

  private Deadline(Duration budget) {
    this.budget = budget;
    this.end = System.nanoTime() + budget.toNanos();
  }

  public static Deadline in(Duration budget) {
    return new Deadline(budget);
  }

  public Duration budget() {
    return budget;
  }

  /** What is left, never negative. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  public boolean passed() {
    return left().isZero();
  }

  /** Waits a little before the next look, not past the deadline. */
  public void pause(Duration step) {
    Duration left = left();
    Duration nap = step.compareTo(left) < 0 ? step : left;
    try {
      Thread.sleep(nap.toMillis(), nap.toNanosPart() % 1_000_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while waiting", e);
    }
  }
}
