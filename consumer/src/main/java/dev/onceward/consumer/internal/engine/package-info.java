/** The poll thread, partition progress, key lanes and workers. Not API. */
@NullMarked
package dev.onceward.consumer.internal.engine;

import org.jspecify.annotations.NullMarked;
