package dev.onceward.consumer;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler when no retry can help: the event is dead-lettered at once. */
public class PermanentFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PermanentFailure(String message) {
    super(message);
  }

  public PermanentFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
