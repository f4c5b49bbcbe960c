/**
 * The outbox: appending, and the relay. Not API.
 *
 * <p>The relay has four threads. The drain owns all that is in memory; it hands reading, deleting
 * and leases to a thread and a database connection each, and gets their results as events.
 */
@NullMarked
package dev.onceward.producer.internal.outbox;

import org.jspecify.annotations.NullMarked;
