/** How connections are looked at when they are given back; not API. */
@NullMarked
package dev.onceward.dedupe.internal.hygiene;

import org.jspecify.annotations.NullMarked;
