package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Set;

/**
 * When a failed delivery is tried again. A retry waits a random time between zero and an
 * exponentially growing bound (full jitter); only the failing key waits.
 *
 * @param maxAttempts tries in all, the first included; default 10
 * @param maxAge no retry starts later than this after the first failure; default 10 minutes
 * @param initialDelay bound of the first wait; default 100 ms
 * @param maxDelay bound of every wait; default 30 s
 * @param permanent exception types that are never retried, subclasses included
 * @param maxCrashes how often the process may die while the handler of one record is at work with
 *     nothing beside it. Then it is dead-lettered with reason {@link
 *     DeadLetterReason#CONSUMER_CRASH}; default 3. A record runs alone when it was at work, among
 *     others, in two deaths before; each run that its process outlives makes up for half a death
 */
public record RetryPolicy(
    int maxAttempts,
    Duration maxAge,
    Duration initialDelay,
    Duration maxDelay,
    Set<Class<? extends Throwable>> permanent,
    int maxCrashes) {

  /** Checks the values. */
  public RetryPolicy {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be at least 1, but is " + maxAttempts);
    }
    requirePositive("maxAge", maxAge);
    requirePositive("initialDelay", initialDelay);
    requirePositive("maxDelay", maxDelay);
    permanent = Set.copyOf(permanent);
    if (maxCrashes < 1) {
      throw new IllegalArgumentException("maxCrashes must be at least 1, but is " + maxCrashes);
    }
  }

  /** The defaults named above. */
  public static RetryPolicy standard() {
    return builder().build();
  }

  /** No retries: the first failure dead-letters. */
  public static RetryPolicy none() {
    return builder().maxAttempts(1).build();
  }

  /** A builder that starts with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be longer than zero, but is " + value);
    }
  }

  /** Builds a {@link RetryPolicy}; not thread-safe. */
  public static final class Builder {
    private int maxAttempts = 10;
    private Duration maxAge = Duration.ofMinutes(10);
    private Duration initialDelay = Duration.ofMillis(100);
    private Duration maxDelay = Duration.ofSeconds(30);
    private Set<Class<? extends Throwable>> permanent = Set.of();
    private int maxCrashes = 3;

    private Builder() {}

    /** Tries in all, the first included. */
    public Builder maxAttempts(int maxAttempts) {
      this.maxAttempts = maxAttempts;
      return this;
    }

    /** No retry starts later than this after the first failure. */
    public Builder maxAge(Duration maxAge) {
      this.maxAge = requireNonNull(maxAge);
      return this;
    }

    /** The bound of the first wait. */
    public Builder initialDelay(Duration initialDelay) {
      this.initialDelay = requireNonNull(initialDelay);
      return this;
    }

    /** The bound of every wait. */
    public Builder maxDelay(Duration maxDelay) {
      this.maxDelay = requireNonNull(maxDelay);
      return this;
    }

    /** Replaces the exception types that are never retried. */
    public Builder permanent(Set<Class<? extends Throwable>> permanent) {
      this.permanent = Set.copyOf(permanent);
      return this;
    }

    /** How often the process may die while one record is at work with nothing beside it. */
    public Builder maxCrashes(int maxCrashes) {
      this.maxCrashes = maxCrashes;
      return this;
    }

    /**
     * Builds the policy.
     *
     * @throws IllegalArgumentException if a value is out of range; it is named
     */
    public RetryPolicy build() {
      return new RetryPolicy(maxAttempts, maxAge, initialDelay, maxDelay, permanent, maxCrashes);
    }
  }
}
