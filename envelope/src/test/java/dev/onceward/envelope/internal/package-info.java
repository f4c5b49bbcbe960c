/** Tests of the envelope's internals. */
@NullMarked
package dev.onceward.envelope.internal;

import org.jspecify.annotations.NullMarked;
