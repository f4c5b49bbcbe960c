/** The guarantees, written down one by one, and an independent observer that checks them. */
@NullMarked
package dev.onceward.it.guarantee;

import org.jspecify.annotations.NullMarked;
