package dev.onceward.testkit.internal;

/** Closes a server when the JVM exits before its user has. */
public final class CloseOnExit {
  private final Thread hook;

  private CloseOnExit(Thread hook) {
    this.hook = hook;
  }

  public static CloseOnExit of(String name, Runnable close) {
    Thread hook = new Thread(close, "close-" + name);
    Runtime.getRuntime().addShutdownHook(hook);
    return new CloseOnExit(hook);
  }

  /** Takes the hook back; does nothing while the JVM is exiting. */
  public void cancel() {
    if (Thread.currentThread() == hook) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is exiting: the hook runs, and closing twice is harmless.
      return;
    }
  }
}
