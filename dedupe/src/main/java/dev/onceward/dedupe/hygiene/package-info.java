/**
 * Connection hygiene: a connection goes back to its pool with no state of its borrower on it. Start
 * at {@link dev.onceward.dedupe.hygiene.HygienicDataSource}; the inbox has it built in, see {@link
 * dev.onceward.dedupe.JdbcInbox.Builder#hygiene}.
 */
@NullMarked
package dev.onceward.dedupe.hygiene;

import org.jspecify.annotations.NullMarked;
