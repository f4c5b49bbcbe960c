package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.DeadReason;
import org.jspecify.annotations.Nullable;

/**
 * A row on its way to the dead.
 *
 * @param row the row
 * @param epoch the epoch it was read under
 * @param reason why it cannot be sent; null when it only waits behind one that cannot
 * @param detail the same as a line
 */
record Leaving(Row row, long epoch, @Nullable DeadReason reason, @Nullable String detail) {}
