package dev.onceward.envelope;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a topic is used, for {@link TopicConventions#verify}. Immutable.
 *
 * @param topic its name
 * @param role what it is for
 * @param minPartitions as many as consumers are to share it
 * @param minRetention how long a record must stay, so that an outage of that length loses nothing
 * @param source the topic whose dead letters it takes; null for other roles or when not known
 */
public record TopicUse(
    String topic, Role role, int minPartitions, Duration minRetention, @Nullable String source) {

  /** What a topic is for. */
  public enum Role {
    /** Events to be handled, each of them. */
    EVENTS,
    /** Dead letters, kept until somebody has looked at them. */
    DEAD_LETTERS,
    /** The latest record of each key (a compacted topic). */
    LATEST_STATE
  }

  /** Checks the values. */
  public TopicUse {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(minRetention, "minRetention");
    if (minPartitions < 1) {
      throw new IllegalArgumentException("minPartitions must be at least 1: " + minPartitions);
    }
  }

  /** Events: at least 2 partitions, so that a second consumer has work, kept for a day or more. */
  public static TopicUse events(String topic) {
    return new TopicUse(topic, Role.EVENTS, 2, Duration.ofDays(1), null);
  }

  /** Dead letters of {@code source}: kept for two weeks or more, and as long as their source. */
  public static TopicUse deadLetters(String topic, String source) {
    return new TopicUse(topic, Role.DEAD_LETTERS, 1, Duration.ofDays(14), source);
  }

  /** The latest record of each key. */
  public static TopicUse latestState(String topic) {
    return new TopicUse(topic, Role.LATEST_STATE, 1, Duration.ZERO, null);
  }

  /** The same use with at least this many partitions. */
  public TopicUse withMinPartitions(int partitions) {
    return new TopicUse(topic, role, partitions, minRetention, source);
  }

  /** The same use with records kept for at least this long. */
  public TopicUse withMinRetention(Duration retention) {
    return new TopicUse(topic, role, minPartitions, retention, source);
  }
}
