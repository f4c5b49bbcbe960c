package dev.onceward.dedupe.internal;

import org.jspecify.annotations.Nullable;

/** Turns the interrupt flag into an {@link InterruptedException}. */
final class Interruption {
  private Interruption() {}

  /**
   * @param failure what happened meanwhile: an interrupt makes pools and, on virtual threads,
   *     sockets fail, and is then the real reason
   */
  static void check(@Nullable Throwable failure) throws InterruptedException {
    if (Thread.interrupted()) {
      InterruptedException interrupted =
          new InterruptedException("interrupted before the commit; nothing is committed");
      if (failure != null) {
        interrupted.initCause(failure);
      }
      throw interrupted;
    }
  }
}
