/** W3C trace context over Kafka headers, messaging spans and log context. */
@NullMarked
package dev.onceward.tracing;

import org.jspecify.annotations.NullMarked;
