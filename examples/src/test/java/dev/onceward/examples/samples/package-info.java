/** The samples of the docs do what the docs say. */
@NullMarked
package dev.onceward.examples.samples;

import org.jspecify.annotations.NullMarked;
