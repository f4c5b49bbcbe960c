package dev.onceward.dedupe.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often and when a transaction is repeated: exponential back-off with full jitter, so that
 * transactions that collided do not collide again.
 *
 * @param maxRetries repeats after the first attempt; 0 for none
 * @param initialBackoff the longest wait before the first repeat
 * @param maxBackoff the longest wait before any repeat
 */
public record RetryPolicy(int maxRetries, Duration initialBackoff, Duration maxBackoff) {
  private static final int MAX_DOUBLINGS = 30;
  private static final Duration LONGEST_BACKOFF = Duration.ofDays(1);

  public RetryPolicy {
    if (maxRetries < 0) {
      throw new IllegalArgumentException("transactionRetries must not be negative: " + maxRetries);
    }
    if (initialBackoff.isNegative()
        || initialBackoff.isZero()
        || maxBackoff.compareTo(initialBackoff) < 0
        || maxBackoff.compareTo(LONGEST_BACKOFF) > 0) {
      throw new IllegalArgumentException(
          "retryBackoff needs 0 < initial <= max <= 1 day: " + initialBackoff + ", " + maxBackoff);
    }
  }

  /** A random wait before the given repeat, counted from 1. */
  Duration backoff(int retry) {
    long ceiling =
        Math.min(
            maxBackoff.toMillis(), initialBackoff.toMillis() << Math.min(retry - 1, MAX_DOUBLINGS));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(Math.max(1, ceiling) + 1));
  }
}
