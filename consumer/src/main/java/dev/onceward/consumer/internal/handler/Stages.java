package dev.onceward.consumer.internal.handler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits for what asynchronous handlers return. */
final class Stages {

  private Stages() {}

  /**
   * Waits on the handler's thread, so that the steps around a handler and the bound on running
   * handlers hold for asynchronous ones too; on a virtual thread the wait costs next to nothing.
   *
   * <p>The loss of the lease interrupts the wait and so ends it, but not the work behind the stage:
   * nothing but the handler knows how to stop that. It should watch {@link
   * dev.onceward.consumer.Lease#lost}, or its work runs on beside the retry.
   *
   * @throws InterruptedException if the wait was interrupted
   */
  static void await(CompletionStage<?> stage) throws Exception {
    // a copy: an interrupt ends our wait, and must not complete what the user still holds
    CompletableFuture<Object> done = new CompletableFuture<>();
    stage.whenComplete(
        (result, error) -> {
          if (error == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(error);
          }
        });
    try {
      done.get();
    } catch (ExecutionException e) {
      Throwable cause = unwrap(e);
      if (cause instanceof Exception failure) {
        throw failure;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }

  private static Throwable unwrap(Throwable e) {
    Throwable cause = e;
    while ((cause instanceof ExecutionException
            || cause instanceof java.util.concurrent.CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
