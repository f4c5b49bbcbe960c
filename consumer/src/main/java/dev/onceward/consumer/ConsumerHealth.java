package dev.onceward.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of how a consumer fares.
 *
 * @param state where in its life the consumer is
 * @param live the poll loop beats: it went round within the last 30 s
 * @param ready running, with partitions assigned and not draining, and the inbox's connection pool
 *     is not {@link dev.onceward.dedupe.hygiene.PoolFigures#isSaturated saturated}
 * @param sinceLastPoll how long ago the poll loop last went round
 * @param assignedPartitions how many partitions this consumer owns
 * @param inFlight records read and not done
 * @param problems what holds work up at present, a line each; empty when nothing does
 * @param held partitions whose commits have waited for one record for more than 20 s, and what for
 * @param failure why the consumer failed, when it did
 */
public record ConsumerHealth(
    State state,
    boolean live,
    boolean ready,
    Duration sinceLastPoll,
    int assignedPartitions,
    long inFlight,
    List<String> problems,
    List<HeldPartition> held,
    Optional<Throwable> failure) {

  /** Copies the lists. */
  public ConsumerHealth {
    problems = List.copyOf(problems);
    held = List.copyOf(held);
  }

  /** Where in its life a consumer is. */
  public enum State {
    /** Built and not started. */
    NEW,
    /** Reading and handling events. */
    RUNNING,
    /** Draining: no new event starts, and what runs may finish. */
    STOPPING,
    /** Stopped on request. */
    STOPPED,
    /** Stopped by an error that no retry can mend. */
    FAILED
  }
}
