package dev.onceward.dedupe;

import org.jspecify.annotations.Nullable;

/**
 * The effect returned normally, but its transaction could not be committed as a whole, so it was
 * rolled back: the handler swallowed an SQL error (which aborts a PostgreSQL transaction; a commit
 * would silently roll back), or tried to end the transaction itself.
 *
 * <p>The cause is the first SQL error of the failed transaction, where it could be observed.
 */
public final class CommitRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message one line that says why
   * @param cause what made the transaction fail, or null
   */
  public CommitRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
