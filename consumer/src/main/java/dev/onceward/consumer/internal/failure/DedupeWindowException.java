package dev.onceward.consumer.internal.failure;

/** The event is older than the inbox remembers. */
public final class DedupeWindowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DedupeWindowException(String message) {
    super(message);
  }
}
