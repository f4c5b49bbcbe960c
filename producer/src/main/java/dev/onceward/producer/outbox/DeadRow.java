package dev.onceward.producer.outbox;

import java.time.Instant;

/**
 * A row of the outbox that cannot be sent, and stops the later rows of its key. Neither key nor
 * payload is in here.
 *
 * @param seq its number, by which it is released or discarded
 * @param topic the topic it is meant for
 * @param eventId the event's id
 * @param keyHash the {@link dev.onceward.tracing.KeyHash} of its key; {@code none} without a key
 * @param reason why it cannot be sent
 * @param detail the same in one line, with the fix
 * @param createdAt when it was appended, by the database's clock
 * @param deadSince when the relay gave it up, by the database's clock
 * @param waiting how many later rows of its key wait behind it
 */
public record DeadRow(
    long seq,
    String topic,
    String eventId,
    String keyHash,
    DeadReason reason,
    String detail,
    Instant createdAt,
    Instant deadSince,
    long waiting) {}
