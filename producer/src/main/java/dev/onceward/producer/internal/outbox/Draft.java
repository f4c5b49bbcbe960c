package dev.onceward.producer.internal.outbox;

import dev.onceward.tracing.EventTracing.CreateSpan;
import org.jspecify.annotations.Nullable;

/**
 * An event as it is to be stored.
 *
 * @param bucket the bucket of its key
 * @param id the event's id
 * @param topic where it is to be sent
 * @param key the record key
 * @param traceparent the context of {@code span}
 * @param headers the record's headers but {@code traceparent}, as {@link HeaderBytes}
 * @param payload the record's value
 * @param span the span of the creation, still open
 */
@SuppressWarnings("ArrayRecordComponent") // handed on to JDBC, never compared
public record Draft(
    int bucket,
    String id,
    String topic,
    byte @Nullable [] key,
    String traceparent,
    byte[] headers,
    byte @Nullable [] payload,
    CreateSpan span) {}
