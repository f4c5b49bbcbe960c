/** The outbox and its relay, on a real broker and a real database. */
@NullMarked
package dev.onceward.it.outbox;

import org.jspecify.annotations.NullMarked;
