/** How events are read, held and written. Not API: may change in any release. */
@NullMarked
package dev.onceward.envelope.internal;

import org.jspecify.annotations.NullMarked;
