package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Duration;
import java.util.Optional;

/**
 * Says when the group hears nothing of this member: a poll without a broker finds nothing, like one
 * without records, and all would look well. Confined to the poll thread.
 */
final class Membership {

  private static final String SUBJECT = "group membership";
  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final DeliverySource source;
  private final Problems problems;
  private final Duration tooLong;
  private long lastNanos = System.nanoTime();

  /**
   * Creates it.
   *
   * @param tooLong the time without a heartbeat from which on something is wrong
   */
  Membership(DeliverySource source, Problems problems, Duration tooLong) {
    this.source = source;
    this.problems = problems;
    this.tooLong = tooLong;
  }

  /** Looks once a second at most. */
  void look() {
    long now = System.nanoTime();
    if (now - lastNanos < LOOK_EVERY_NANOS) {
      return;
    }
    lastNanos = now;
    Optional<Duration> since = source.sinceHeartbeat();
    if (since.isPresent() && since.get().compareTo(tooLong) > 0) {
      problems.raise(
          SUBJECT,
          "no heartbeat was sent for "
              + since.get().toSeconds()
              + " s, the group's coordinator cannot be reached; check that the brokers are up");
    } else {
      problems.clear(SUBJECT);
    }
  }
}
