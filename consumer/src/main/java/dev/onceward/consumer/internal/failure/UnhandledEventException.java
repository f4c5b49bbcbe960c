package dev.onceward.consumer.internal.failure;

/** No handler takes the event's type, and the consumer is told to dead-letter such events. */
public final class UnhandledEventException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnhandledEventException(String message) {
    super(message);
  }
}
