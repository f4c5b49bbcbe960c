@NullMarked
package dev.onceward.producer.internal;

import org.jspecify.annotations.NullMarked;
