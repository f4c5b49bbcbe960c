package dev.onceward.tracing;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a consumer tells about itself whenever metrics are collected; see {@link
 * EventTracing#observe}.
 *
 * <p>Every method is called by the threads of the OpenTelemetry SDK, at any time and by several at
 * once, also a moment after the registration was closed. It must be quick, must not wait and must
 * not throw; what it throws is logged and the figure is left out of that collection. What is
 * returned is copied at once.
 */
public interface ConsumerObservation {

  /** The consumer group. Asked for once, on the thread that registers. */
  String group();

  /** Records read and not done. */
  long inFlight();

  /** How many partitions this consumer owns. */
  int assignedPartitions();

  /**
   * Deliveries that are done since the consumer was started, by outcome, such as {@code applied}.
   *
   * <p>The names become values of an attribute: a fixed, small set, in lower case, best all of it
   * from the start (with 0). No figure ever falls.
   */
  Map<String, Long> deliveries();

  /** Tries after the first, of whatever outcome, since the consumer was started. Never falls. */
  long retries();

  /**
   * State that handlers have left behind on threads and connections since the consumer was started,
   * by kind, such as {@code mdc}; by default there is none.
   *
   * <p>The names become values of an attribute, as those of {@link #deliveries} do. No figure ever
   * falls.
   */
  default Map<String, Long> leaks() {
    return Map.of();
  }

  /** The connection pool that the handlers' transactions use; by default none is known. */
  default Optional<Pool> pool() {
    return Optional.empty();
  }

  /** The partitions whose commits have waited long for one record; empty when there are none. */
  Collection<Held> held();

  /**
   * A connection pool.
   *
   * @param acquired connections that were handed out since the consumer was started; never falls
   * @param waited how long calls have waited for them, added up; never falls
   * @param waiting calls that wait at present
   * @param active connections in use, where that is known
   * @param max how many there may be, where that is known
   */
  record Pool(long acquired, Duration waited, int waiting, OptionalInt active, OptionalInt max) {

    /** Checks that nothing is missing. */
    public Pool {
      Objects.requireNonNull(waited, "waited");
      Objects.requireNonNull(active, "active");
      Objects.requireNonNull(max, "max");
    }
  }

  /**
   * A partition that is held up.
   *
   * @param topic its topic
   * @param partition its number, 0 or more
   * @param gate what its first unfinished record waits for, such as {@code handler}: one of a
   *     fixed, small set, in lower case
   * @param age how long ago that record began; not negative
   */
  record Held(String topic, int partition, String gate, Duration age) {

    /**
     * Checks them.
     *
     * @throws IllegalArgumentException when {@code partition} or {@code age} is negative
     */
    public Held {
      Objects.requireNonNull(topic, "topic");
      Objects.requireNonNull(gate, "gate");
      if (partition < 0) {
        throw new IllegalArgumentException("partition must be 0 or more, not " + partition);
      }
      if (age.isNegative()) {
        throw new IllegalArgumentException("age must not be negative: " + age);
      }
    }
  }
}
