package dev.onceward.consumer.internal.engine;

import java.time.Duration;

/**
 * How many works run together: as many as take the time that a batch may take, at most the limit,
 * and fewer after a batch in vain. Thread-safe; of runs that end at once one may not be counted.
 */
final class BatchSize {

  /** The weight of the last batch in the average. */
  private static final double WEIGHT = 0.2;

  private final int most;
  private final long nanos;

  private volatile double nanosEach;
  private volatile double limit;

  /**
   * Creates it.
   *
   * @param most works of a batch at most; 1 for none
   * @param time how long a batch may take
   */
  BatchSize(int most, Duration time) {
    this.most = most;
    this.nanos = time.toNanos();
    this.limit = most;
  }

  /** How many may run together at present, 1 for one by itself. */
  int next() {
    double each = nanosEach;
    double byTime = each <= 0 ? most : nanos / each;
    // never one alone for its slowness: nobody would learn that they are quick again
    return (int) Math.min(most, Math.max(2, Math.min(byTime, limit)));
  }

  /** So many works have run together. */
  void succeeded(int works, long nanosTaken) {
    double each = (double) nanosTaken / works;
    double before = nanosEach;
    nanosEach = before <= 0 ? each : before + (each - before) * WEIGHT;
    limit = Math.min(most, limit + Math.max(1, works * WEIGHT));
  }

  /** So many works have run together in vain, and run once more by themselves. */
  void failed(int works) {
    limit = Math.max(2, works / 2.0);
  }
}
