/** Handler classes and lambdas made into validated routes. Not API. */
@NullMarked
package dev.onceward.consumer.internal.handler;

import org.jspecify.annotations.NullMarked;
