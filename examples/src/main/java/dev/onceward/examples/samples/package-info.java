/** The samples of the README and the docs; a test holds the texts to them. */
@NullMarked
package dev.onceward.examples.samples;

import org.jspecify.annotations.NullMarked;
