/** The publisher on a real broker. */
@NullMarked
package dev.onceward.it.publish;

import org.jspecify.annotations.NullMarked;
