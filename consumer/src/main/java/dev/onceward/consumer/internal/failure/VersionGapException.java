package dev.onceward.consumer.internal.failure;

/** The version of the entity before the event's own has not been applied. */
public final class VersionGapException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public VersionGapException(String message) {
    super(message);
  }
}
