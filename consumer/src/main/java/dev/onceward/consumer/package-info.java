/** Event handlers over Kafka consumer groups. */
@NullMarked
package dev.onceward.consumer;

import org.jspecify.annotations.NullMarked;
