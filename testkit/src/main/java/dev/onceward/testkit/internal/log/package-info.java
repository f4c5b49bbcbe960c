/** The log of a broker in a JVM of its own: warnings and errors on standard error. Not API. */
@NullMarked
package dev.onceward.testkit.internal.log;

import org.jspecify.annotations.NullMarked;
