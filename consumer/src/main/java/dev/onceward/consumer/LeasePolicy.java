package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How long a handler may work on one try of an event, and what follows when it takes longer. The
 * {@link Lease} of each try ends {@code maximum} after the try began; the handler can move its end
 * with {@link Lease#extend}. Immutable.
 *
 * @param maximum from the start of a try to the end of its lease; default 30 minutes. It begins
 *     anew with each try: with {@link OnExpiry#RETRY} a handler that always hangs holds its key for
 *     as many of them as {@link RetryPolicy} has tries, which with the defaults are two, by its
 *     {@code maxAge}. More than 36,500 days count as 36,500 days
 * @param onExpiry what follows when a lease expires; default {@link OnExpiry#RETRY}
 */
public record LeasePolicy(Duration maximum, OnExpiry onExpiry) {

  /** What follows when a lease expires. */
  public enum OnExpiry {
    /**
     * The handler is interrupted and its effect is not committed; it counts as a failed attempt,
     * and is retried or dead-lettered as {@link RetryPolicy} says; it is never permanent.
     */
    RETRY,
    /**
     * The handler is interrupted and its effect is not committed; when it has come to its end the
     * record is dead-lettered with reason {@link DeadLetterReason#LEASE_EXPIRED}.
     */
    DEAD_LETTER,
    /** It is only reported; the handler goes on, its lease is not lost and it may commit. */
    KEEP
  }

  /** Checks the values. */
  public LeasePolicy {
    requireNonNull(onExpiry, "onExpiry");
    if (maximum.isNegative() || maximum.isZero()) {
      throw new IllegalArgumentException(
          "LeasePolicy.maximum must be longer than zero, but is " + maximum);
    }
  }

  /** The defaults named above. */
  public static LeasePolicy standard() {
    return builder().build();
  }

  /** A builder that starts with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a {@link LeasePolicy}; not thread-safe. */
  public static final class Builder {
    private Duration maximum = Duration.ofMinutes(30);
    private OnExpiry onExpiry = OnExpiry.RETRY;

    private Builder() {}

    /** From the start of a try to the end of its lease. */
    public Builder maximum(Duration maximum) {
      this.maximum = requireNonNull(maximum, "LeasePolicy.maximum");
      return this;
    }

    /** What follows when a lease expires. */
    public Builder onExpiry(OnExpiry onExpiry) {
      this.onExpiry = requireNonNull(onExpiry, "LeasePolicy.onExpiry");
      return this;
    }

    /**
     * Builds the policy.
     *
     * @throws IllegalArgumentException if a value is out of range; it is named
     */
    public LeasePolicy build() {
      return new LeasePolicy(maximum, onExpiry);
    }
  }
}
