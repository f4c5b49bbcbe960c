/** Tests of the examples. */
@NullMarked
package dev.onceward.examples.orders;

import org.jspecify.annotations.NullMarked;
