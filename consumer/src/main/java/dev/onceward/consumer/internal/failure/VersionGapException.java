package dev.onceward.consumer.internal.failure;

import java.time.Duration;

/** The version of the entity before the event's own has not been applied. */
public final class VersionGapException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public VersionGapException(String message) {
    super(message);
  }

  /** The same when it is given up. */
  public VersionGapException after(Duration wait) {
    return new VersionGapException(getMessage() + "; waited for " + wait.toSeconds() + " s");
  }
}
