/** The examples as their users run them. */
@NullMarked
package dev.onceward.it.examples;

import org.jspecify.annotations.NullMarked;
