package dev.onceward.consumer;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler when no retry can help: the event is dead-lettered at once. */
public class PermanentFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says why no retry can help; the message goes into the dead letter. */
  public PermanentFailure(String message) {
    super(message);
  }

  /** As {@link #PermanentFailure(String)}, with what it came from. */
  public PermanentFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
