package dev.onceward.producer.internal.outbox;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How long to wait before the next try: doubling, with jitter. */
final class Backoff {
  private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MOST_DOUBLINGS = 6;

  private Backoff() {}

  /** The wait after so many failures in a row, 1 or more: 50 ms to 100 ms, up to 6.4 s. */
  static long nanos(int failures) {
    long most = FIRST << Math.min(MOST_DOUBLINGS, Math.max(0, failures - 1));
    return most / 2 + ThreadLocalRandom.current().nextLong(most / 2);
  }
}
