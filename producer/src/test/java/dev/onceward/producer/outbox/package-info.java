@NullMarked
package dev.onceward.producer.outbox;

import org.jspecify.annotations.NullMarked;
