package dev.onceward.examples;

/** The demo cannot go on; the message is one line for the console. */
public final class DemoFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean seeLog;

  public DemoFailure(String message) {
    super(message);
    this.seeLog = false;
  }

  public DemoFailure(String message, Throwable cause) {
    this(message, cause, false);
  }

  /**
   * A failure that the log says more about.
   *
   * @param seeLog whether to name the log to the user
   */
  public DemoFailure(String message, Throwable cause, boolean seeLog) {
    super(message, cause);
    this.seeLog = seeLog;
  }

  private DemoFailure(String message, boolean seeLog) {
    super(message);
    this.seeLog = seeLog;
  }

  /** A failure of which the log says why. */
  public static DemoFailure seeLog(String message) {
    return new DemoFailure(message, true);
  }

  boolean seeLog() {
    return seeLog;
  }
}
