package dev.onceward.examples;

/** The demo can not go on; the message is one line for the console. */
public final class DemoFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DemoFailure(String message) {
    super(message);
  }

  public DemoFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
