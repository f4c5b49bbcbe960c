/** Statistics over recorded webhook deliveries. */
@NullMarked
package dev.onceward.examples.webhooks;

import org.jspecify.annotations.NullMarked;
