/** The inbox: idempotency and version guard in the handler's own transaction. */
@NullMarked
package dev.onceward.dedupe;

import org.jspecify.annotations.NullMarked;
