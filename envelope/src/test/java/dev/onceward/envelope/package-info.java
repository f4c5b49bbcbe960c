/** Tests of the envelope. */
@NullMarked
package dev.onceward.envelope;

import org.jspecify.annotations.NullMarked;
