/** How an effect gets its transaction; not API. */
@NullMarked
package dev.onceward.dedupe.internal;

import org.jspecify.annotations.NullMarked;
