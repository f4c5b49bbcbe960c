package dev.onceward.dedupe;

import org.jspecify.annotations.Nullable;

/** The inbox cannot work; the message is one line that names what is missing and the fix. */
public final class InboxUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InboxUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
