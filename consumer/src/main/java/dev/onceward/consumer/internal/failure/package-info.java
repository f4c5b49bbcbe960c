/** What follows a failure: retry or dead letter. Not API. */
@NullMarked
package dev.onceward.consumer.internal.failure;

import org.jspecify.annotations.NullMarked;
