package dev.onceward.producer.outbox;

import org.jspecify.annotations.Nullable;

/**
 * The outbox cannot work: its database is unreachable or read-only, or lacks tables, privileges or
 * the right sequence. The message is one line that says what is wrong and the fix, and holds no
 * secrets.
 */
public final class OutboxUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message one line: what is wrong, where, and the fix
   * @param cause what the driver or the pool threw, or null
   */
  public OutboxUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
