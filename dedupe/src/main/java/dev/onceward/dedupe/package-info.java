/**
 * The inbox: idempotency and version guard in the handler's own transaction. Start at {@link
 * dev.onceward.dedupe.JdbcInbox}.
 */
@NullMarked
package dev.onceward.dedupe;

import org.jspecify.annotations.NullMarked;
