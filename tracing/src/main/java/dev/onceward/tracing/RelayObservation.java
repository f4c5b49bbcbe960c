package dev.onceward.tracing;

import java.time.Duration;
import java.util.Map;

/**
 * What an outbox relay tells about itself whenever metrics are collected; see {@link
 * EventTracing#observe(RelayObservation)}. The rules of {@link ConsumerObservation} hold: methods
 * are called by the threads of the OpenTelemetry SDK, must be quick and must not throw.
 */
public interface RelayObservation {

  /**
   * Records since the relay was started, by outcome, such as {@code sent}. A fixed, small set of
   * names in lower case, all of them from the start (with 0). No figure ever falls.
   */
  Map<String, Long> records();

  /** Shards that this relay has taken, given up or lost since it was started. Never falls. */
  long leaseChanges();

  /** Shards that this relay holds. */
  int shards();

  /** Rows that wait in this relay's shards, as counted last; a count beyond a limit stops there. */
  long backlog();

  /** How long the oldest row of this relay's shards has waited, as seen last; zero for none. */
  Duration backlogAge();

  /** Dead rows in this relay's shards, without those that wait behind them, as counted last. */
  long dead();
}
