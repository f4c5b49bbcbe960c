/** Brokers, topics and databases that break, and go on, under a running consumer. */
@NullMarked
package dev.onceward.it.fault;

import org.jspecify.annotations.NullMarked;
