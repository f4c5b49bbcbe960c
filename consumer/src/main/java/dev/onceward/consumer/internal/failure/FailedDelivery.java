package dev.onceward.consumer.internal.failure;

import dev.onceward.consumer.DeadLetterReason;
import dev.onceward.consumer.Delivery;
import java.time.Instant;

/**
 * A delivery that is given up.
 *
 * @param delivery the last try
 * @param reason why it is given up
 * @param error what the last try failed with
 * @param firstFailure when the first try failed
 * @param lastFailure when the last try failed
 */
public record FailedDelivery(
    Delivery delivery,
    DeadLetterReason reason,
    Throwable error,
    Instant firstFailure,
    Instant lastFailure) {}
