package dev.onceward.consumer;

/** The consumer stopped because of an error it cannot retry; nothing unfinished was committed. */
public final class ConsumerFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates it; for the toolkit. */
  public ConsumerFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
