@NullMarked
package dev.onceward.producer.internal.outbox;

import org.jspecify.annotations.NullMarked;
