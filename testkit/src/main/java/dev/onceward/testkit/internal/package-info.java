/** Processes, files and settings behind the testkit. Not API. */
@NullMarked
package dev.onceward.testkit.internal;

import org.jspecify.annotations.NullMarked;
