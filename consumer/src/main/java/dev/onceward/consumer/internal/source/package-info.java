/** Where deliveries come from. Not API. */
@NullMarked
package dev.onceward.consumer.internal.source;

import org.jspecify.annotations.NullMarked;
