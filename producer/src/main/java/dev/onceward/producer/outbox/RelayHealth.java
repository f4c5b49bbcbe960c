package dev.onceward.producer.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of how a relay fares.
 *
 * @param state where in its life the relay is
 * @param live it runs, and its loop went round within the last 30 s
 * @param shards how many of the 16 shards this relay sends
 * @param inFlight rows read and not yet deleted
 * @param backlog rows that wait in this relay's shards, counted every 5 s; up to 1,000 are counted
 *     of each of a shard's four buckets
 * @param backlogAge how long the oldest of them has waited, by the database's clock; zero for none
 * @param dead dead rows in this relay's shards, without those that wait behind them, counted every
 *     5 s
 * @param problems what holds work up at present, a line each; empty when nothing does
 * @param failure why the relay failed, when it did
 */
public record RelayHealth(
    State state,
    boolean live,
    int shards,
    long inFlight,
    long backlog,
    Duration backlogAge,
    long dead,
    List<String> problems,
    Optional<Throwable> failure) {

  /** Copies the list. */
  public RelayHealth {
    problems = List.copyOf(problems);
  }

  /** Where in its life a relay is. */
  public enum State {
    /** Built and not started. */
    NEW,
    /** Sending. */
    RUNNING,
    /** Closing: nothing new is sent, and what was sent is waited for. */
    STOPPING,
    /** Closed. */
    STOPPED,
    /** Stopped by an error in the relay itself; other relays take over. */
    FAILED
  }
}
