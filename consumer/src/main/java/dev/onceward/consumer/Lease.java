package dev.onceward.consumer;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The time a handler has for one try of one event, like the visibility timeout of a queue. It runs
 * from the start of the try to {@link LeasePolicy#maximum}, and {@link #extend} moves its end. Each
 * try has a lease of its own. Thread-safe; may be handed to the threads that work for the handler.
 *
 * <p>A lease is lost when it expires or the partition is taken away. Then {@link #lost} completes,
 * the handler's thread is interrupted, and the inbox refuses to commit: what the handler did in its
 * transaction is rolled back. Once the inbox commits the lease cannot be lost any more, so what was
 * done in a transaction is never both committed and reported as lost.
 */
public interface Lease {

  /** The time to its end; zero when that has passed, and when the lease is lost or has ended. */
  Duration remaining();

  /**
   * Moves the end of the lease to {@code fromNow} from now. That may be later than {@link
   * LeasePolicy#maximum} allows by itself, or earlier than it was: a handler that extends by a
   * minute before each step of its work is found stuck a minute after the step that hangs.
   *
   * @param fromNow positive; more than 36,500 days count as 36,500 days
   * @throws IllegalArgumentException if {@code fromNow} is not positive
   * @throws LeaseLostException if the lease is lost already; nothing brings it back
   * @throws IllegalStateException if the try has ended
   */
  void extend(Duration fromNow);

  /** Whether the lease is lost; it never becomes whole again. */
  boolean isLost();

  /**
   * Completes with the reason when the lease is lost, and never when the try ends before. It can
   * not be completed from outside.
   *
   * <p>Callbacks run on a thread of {@link java.util.concurrent.CompletableFuture}'s default
   * executor (the common pool), or at once on the thread that adds them when the lease is lost
   * already. They never run on the consumer's own threads, and hold up nothing but each other.
   */
  CompletionStage<LeaseLoss> lost();

  /**
   * Does nothing while the lease is held, and throws when it is lost. For loops that meet no
   * interruptible call.
   *
   * @throws LeaseLostException if the lease is lost
   */
  void check();
}
