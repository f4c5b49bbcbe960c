package dev.onceward.consumer.internal.failure;

/** The record's handler was at work when the process died, as often as the policy allows. */
public final class ConsumerCrashException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConsumerCrashException(String message) {
    // a stack would show nothing but this toolkit
    super(message, null, false, false);
  }
}
