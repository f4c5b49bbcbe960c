@NullMarked
package dev.onceward.tracing;

import org.jspecify.annotations.NullMarked;
