/** The steps of a delivery, one file each, in the order of Pipeline. Not API. */
@NullMarked
package dev.onceward.consumer.internal.pipeline;

import org.jspecify.annotations.NullMarked;
