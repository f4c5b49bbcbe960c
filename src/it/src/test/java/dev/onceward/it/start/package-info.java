/** What is said, and left behind, when a start fails. */
@NullMarked
package dev.onceward.it.start;

import org.jspecify.annotations.NullMarked;
