/** What is special about H2; not API. */
@NullMarked
package dev.onceward.dedupe.internal.h2;

import org.jspecify.annotations.NullMarked;
