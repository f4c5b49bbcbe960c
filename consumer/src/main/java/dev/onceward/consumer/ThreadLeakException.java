package dev.onceward.consumer;

/**
 * A handler returned and left something on its thread, under {@link OnThreadLeak#FAIL}. The message
 * names the handler and what it left, without values.
 */
public final class ThreadLeakException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message one line that names the handler, what it left and the fix
   */
  public ThreadLeakException(String message) {
    super(message);
  }
}
