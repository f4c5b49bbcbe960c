/** The engine on a real broker and a real database: guarantees, failures, stops. */
@NullMarked
package dev.onceward.it.engine;

import org.jspecify.annotations.NullMarked;
