package dev.onceward.producer;

import java.time.Duration;

/**
 * A publisher was closed before all its events were acknowledged. The stage of each of them has
 * completed with a {@link PublishException} that names it.
 */
public final class UnacknowledgedEventsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int count;

  /**
   * Creates the exception.
   *
   * @param count how many events were not acknowledged
   * @param closeTimeout how long the close waited for them
   */
  public UnacknowledgedEventsException(int count, Duration closeTimeout) {
    super(
        count
            + (count == 1 ? " event was" : " events were")
            + " not acknowledged by the brokers when the publisher was closed (close timeout "
            + closeTimeout.toMillis()
            + " ms). Publish them again, or raise closeTimeout.");
    this.count = count;
  }

  /** How many events were not acknowledged. */
  public int count() {
    return count;
  }
}
