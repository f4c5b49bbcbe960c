/** Effects in a database: batches, fences, versions one after the other, offsets, settings. */
@NullMarked
package dev.onceward.it.effect;

import org.jspecify.annotations.NullMarked;
