package dev.onceward.consumer.internal.engine;

import java.time.Duration;

/**
 * Tells bad keys from an outage. Of a key whose record was given up after all its attempts, the
 * following records get one attempt each: otherwise they would wait behind each other's retries,
 * until no room is left for the healthy keys. That must not happen when much else fails too: then
 * it is not the keys. Written by the poll thread, read by any.
 */
final class KeyFailures {

  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  /** How many looks back the share is counted. */
  private static final int LOOKS = 10;

  /** With fewer records in that time there is no telling. */
  private static final long FEW = 20;

  /**
   * The part of the records that must succeed: half of the keys may fail with all their records.
   * Retries do not count: those of a few keys would look like an outage.
   */
  private static final double HEALTHY = 0.25;

  private final Counters counters;
  private final long[] succeeded = new long[LOOKS];
  private final long[] failing = new long[LOOKS];
  private int looks;
  private long lastNanos = System.nanoTime();
  private volatile boolean othersSucceed;

  KeyFailures(Counters counters) {
    this.counters = counters;
  }

  /** Counts once a second at most. */
  void look() {
    long now = System.nanoTime();
    if (now - lastNanos < LOOK_EVERY_NANOS) {
      return;
    }
    lastNanos = now;
    count(counters.succeeded(), counters.failing());
  }

  /** One look at how many records have succeeded, and how many have failed at first, so far. */
  void count(long succeededSoFar, long failingSoFar) {
    int oldest = looks++ % LOOKS;
    long successes = succeededSoFar - succeeded[oldest];
    long records = successes + failingSoFar - failing[oldest];
    succeeded[oldest] = succeededSoFar;
    failing[oldest] = failingSoFar;
    othersSucceed = records >= FEW && successes >= records * HEALTHY;
  }

  /** Whether enough succeeds for a failing key to be the one to blame. */
  boolean othersSucceed() {
    return othersSucceed;
  }
}
