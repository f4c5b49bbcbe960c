/** What the rooms of the consumer share. Not API. */
@NullMarked
package dev.onceward.consumer.internal;

import org.jspecify.annotations.NullMarked;
