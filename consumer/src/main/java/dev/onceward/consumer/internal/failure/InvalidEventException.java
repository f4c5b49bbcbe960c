package dev.onceward.consumer.internal.failure;

/** The event lacks what its handler asks for. */
public final class InvalidEventException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidEventException(String message) {
    super(message);
  }
}
