/** The connection a handler sees; not API. */
@NullMarked
package dev.onceward.dedupe.internal.guard;

import org.jspecify.annotations.NullMarked;
