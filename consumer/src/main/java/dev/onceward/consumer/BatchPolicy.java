package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How many events may share one transaction of the inbox: those that are ready when a handler
 * thread is free, one after another in the order of their keys, with one dedupe statement and one
 * commit. Nobody waits for a batch to fill up; under load batches grow by themselves. Immutable.
 *
 * <p>When one event of a batch fails, the whole transaction is rolled back and each event runs once
 * more in a transaction of its own, so that the failing one costs nobody else an attempt. Handlers
 * whose effect is not in the transaction, such as a call of a service, are repeated then too; use
 * batches for handlers that write to the inbox's database, and are quick.
 */
public final class BatchPolicy {

  private static final BatchPolicy NONE = new BatchPolicy(1, Duration.ofMillis(100));
  private static final BatchPolicy STANDARD = of(100);

  private final int maxEvents;
  private final Duration maxTime;

  private BatchPolicy(int maxEvents, Duration maxTime) {
    this.maxEvents = maxEvents;
    this.maxTime = maxTime;
  }

  /** Every event has a transaction of its own. */
  public static BatchPolicy none() {
    return NONE;
  }

  /** Up to 100 events, and as many as take 100 ms together. */
  public static BatchPolicy standard() {
    return STANDARD;
  }

  /**
   * Up to so many events, and as many as take 100 ms together.
   *
   * @param maxEvents 1 to 10,000; 1 for no batches
   * @throws IllegalArgumentException if it is out of range
   */
  public static BatchPolicy of(int maxEvents) {
    if (maxEvents < 1 || maxEvents > 10_000) {
      throw new IllegalArgumentException(
          "a batch must have 1 to 10,000 events, but maxEvents is " + maxEvents);
    }
    return new BatchPolicy(maxEvents, Duration.ofMillis(100));
  }

  /**
   * The same policy with another time: batches are kept so small that, by the average of the last
   * ones, they take no longer. Two events may share a transaction whatever they take.
   *
   * @throws IllegalArgumentException if the time is not positive, or longer than an hour
   */
  public BatchPolicy maxTime(Duration maxTime) {
    requireNonNull(maxTime, "maxTime");
    if (maxTime.isNegative() || maxTime.isZero() || maxTime.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "maxTime of a batch must be longer than zero and at most an hour, but is " + maxTime);
    }
    return new BatchPolicy(maxEvents, maxTime);
  }

  /** How many events share a transaction at most. */
  public int maxEvents() {
    return maxEvents;
  }

  /** How long a batch may take. */
  public Duration maxTime() {
    return maxTime;
  }

  /** Names its figures. */
  @Override
  public String toString() {
    return "BatchPolicy[maxEvents=" + maxEvents + ", maxTime=" + maxTime + "]";
  }
}
