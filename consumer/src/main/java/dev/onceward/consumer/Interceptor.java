package dev.onceward.consumer;

/**
 * A step around the handling of each delivery. It runs on the handler's thread, after the event is
 * read and routed and before the payload is decoded and the transaction opens. Must be thread-safe.
 */
@FunctionalInterface
public interface Interceptor {

  /**
   * Handles the delivery, as a rule by returning {@code chain.proceed(chain.delivery())}.
   *
   * @throws Exception a failure of the delivery, treated like one of the handler
   */
  Outcome intercept(Chain chain) throws Exception;

  /** The rest of the steps; confined to the thread of the call. */
  interface Chain {

    /** The delivery that this step was given. */
    Delivery delivery();

    /** Runs the remaining steps with {@code delivery}; may be called more than once. */
    Outcome proceed(Delivery delivery) throws Exception;
  }
}
