/** Tests of the examples. */
@NullMarked
package dev.onceward.examples.webhooks;

import org.jspecify.annotations.NullMarked;
