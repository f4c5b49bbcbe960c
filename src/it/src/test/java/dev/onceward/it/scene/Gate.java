package dev.onceward.it.scene;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Something that a handler waits at until the test opens it. Thread-safe. */
public final class Gate {

  private static final long LONGEST_SECONDS = 120;

  private final CountDownLatch latch = new CountDownLatch(1);

  public void open() {
    latch.countDown();
  }

  /** Waits; an interrupt ends it. */
  public void await() throws InterruptedException {
    if (!latch.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the gate was not opened");
    }
  }

  /** Waits, deaf to interrupts, like a handler in a call that knows none. */
  public void awaitStubbornly() {
    boolean interrupted = false;
    while (true) {
      try {
        await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
