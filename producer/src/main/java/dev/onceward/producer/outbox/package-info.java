/**
 * The transactional outbox: events that are stored in the transaction of what they tell of, and the
 * relay that sends them.
 */
@NullMarked
package dev.onceward.producer.outbox;

import org.jspecify.annotations.NullMarked;
