package dev.onceward.consumer;

import org.jspecify.annotations.Nullable;

/** The consumer could not start; the message is one line that names the setting and the fix. */
public final class ConsumerStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates it; for the toolkit. */
  public ConsumerStartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
