/** The note that goes with every offset commit. Pure: no Kafka in it. Not API. */
@NullMarked
package dev.onceward.consumer.internal.offsets;

import org.jspecify.annotations.NullMarked;
