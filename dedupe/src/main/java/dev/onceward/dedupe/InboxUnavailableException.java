package dev.onceward.dedupe;

import org.jspecify.annotations.Nullable;

/**
 * The inbox cannot work: the database is unreachable, lost, read-only, or lacks tables or
 * privileges. It says nothing about the event, which should be tried again later. The message is
 * one line that names the data source, what is wrong and the fix, and holds no secrets.
 */
public final class InboxUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message one line that names the data source, the reason and the fix
   * @param cause what the driver or the pool threw, or null
   */
  public InboxUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
