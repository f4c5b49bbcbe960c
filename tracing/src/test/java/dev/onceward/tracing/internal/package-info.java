@NullMarked
package dev.onceward.tracing.internal;

import org.jspecify.annotations.NullMarked;
