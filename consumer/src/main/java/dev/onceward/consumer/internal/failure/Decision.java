package dev.onceward.consumer.internal.failure;

import dev.onceward.consumer.DeadLetterReason;
import java.time.Duration;

/** What follows a failed delivery. */
public sealed interface Decision {

  /**
   * Try again in place; later events of the key wait.
   *
   * @param delay how long from now
   * @param usesAttempt whether the failed try counts as one of the allowed attempts
   */
  record Retry(Duration delay, boolean usesAttempt) implements Decision {}

  /**
   * Let later events of the key go before it, and try again.
   *
   * @param delay how long from now at most
   * @param acceptsGap whether it is applied then although versions before its own are missing
   */
  record SetAside(Duration delay, boolean acceptsGap) implements Decision {}

  /** Give the record up to the dead-letter topic. */
  record DeadLetter(DeadLetterReason reason) implements Decision {}
}
