package dev.onceward.testkit;

import org.jspecify.annotations.Nullable;

/** A server or tool of the testkit could not do its work; the message says what and the fix. */
public final class TestkitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what went wrong, and the fix where there is one
   */
  public TestkitException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what went wrong, and the fix where there is one
   * @param cause what made it so, or null
   */
  public TestkitException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
