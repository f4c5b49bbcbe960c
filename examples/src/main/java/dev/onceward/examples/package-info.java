/** Runnable example applications, and the command that starts them. */
@NullMarked
package dev.onceward.examples;

import org.jspecify.annotations.NullMarked;
