/** What survives the end of an owner, in good order or not: finished work, attempts, leases. */
@NullMarked
package dev.onceward.it.recovery;

import org.jspecify.annotations.NullMarked;
