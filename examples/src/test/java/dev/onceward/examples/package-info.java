/** Tests of the examples. */
@NullMarked
package dev.onceward.examples;

import org.jspecify.annotations.NullMarked;
