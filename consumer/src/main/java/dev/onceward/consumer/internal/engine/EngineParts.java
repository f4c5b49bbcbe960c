package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.failure.DeadLetters;
import dev.onceward.consumer.internal.failure.Failures;
import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Clock;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What an engine works with.
 *
 * @param source where records come from; the engine closes it
 * @param deliveries what all deliveries have in common
 * @param handling what a delivery goes through
 * @param fencing gives fences to ownerships, or null when nothing needs one
 * @param failures what follows a failure
 * @param deadLetters where given-up records go
 * @param executor where handlers run
 * @param clock tells when failures happened
 */
public record EngineParts(
    DeliverySource source,
    RecordDelivery.Source deliveries,
    Handling handling,
    @Nullable Fencing fencing,
    Failures failures,
    DeadLetters deadLetters,
    Executor executor,
    Clock clock) {}
