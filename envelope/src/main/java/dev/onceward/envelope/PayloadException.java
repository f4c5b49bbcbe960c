package dev.onceward.envelope;

import org.jspecify.annotations.Nullable;

/**
 * Event data could not be mapped. The message names the event, the target and the place, never the
 * content.
 */
public final class PayloadException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The cause must not quote content either. */
  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
