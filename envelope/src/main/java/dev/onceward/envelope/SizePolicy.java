package dev.onceward.envelope;

import dev.onceward.envelope.internal.Enforcement;
import java.util.Optional;

/** How large the data of an event may be. Immutable and thread-safe. */
public final class SizePolicy {
  /** 100 KB (102,400 bytes). */
  public static final int DEFAULT_MAX_BYTES = 100 * 1024;

  private final int maxBytes;
  private final Enforcement over;

  private SizePolicy(int maxBytes, PolicyAction over) {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("maxBytes must be at least 1: " + maxBytes);
    }
    this.maxBytes = maxBytes;
    this.over = new Enforcement(over);
  }

  /** Refuses data of more than {@link #DEFAULT_MAX_BYTES}. */
  public static SizePolicy standard() {
    return of(DEFAULT_MAX_BYTES, PolicyAction.REFUSE);
  }

  /**
   * A policy of your own.
   *
   * @param maxBytes the most bytes of data allowed, at least 1
   * @param over what to do with an event that has more
   */
  public static SizePolicy of(int maxBytes, PolicyAction over) {
    return new SizePolicy(maxBytes, over);
  }

  /** The most bytes of data allowed. */
  public int maxBytes() {
    return maxBytes;
  }

  /** What is done with an event that has more. */
  public PolicyAction over() {
    return over.action();
  }

  /** What is wrong with the event's size, if anything. Does nothing else. */
  public Optional<String> problem(Event event) {
    byte[] data = event.payload();
    if (data == null || data.length <= maxBytes) {
      return Optional.empty();
    }
    return Optional.of(
        ("Event %s (%s) has %d bytes of data, over the limit of %d: store large data elsewhere and"
                + " send a reference to it, send less, or raise the limit (SizePolicy.of) together"
                + " with the topic's max.message.bytes")
            .formatted(event.getId(), event.getType(), data.length, maxBytes));
  }

  /**
   * Applies the policy.
   *
   * @throws EventPolicyException when the event is too large and that is {@link
   *     PolicyAction#REFUSE}d
   */
  public void enforce(Event event) {
    problem(event).ifPresent(problem -> over.of(event.getType(), problem));
  }
}
