package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.failure.DedupeWindowException;
import dev.onceward.consumer.internal.failure.VersionGapException;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.envelope.Event;
import dev.onceward.tracing.KeyHash;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transactional half: dedupe row, version, handler and commit. A handler that needs no inbox
 * runs without a transaction.
 *
 * <p>An effect in a transaction is committed only with the right to do so from its lease: once the
 * lease is lost nothing is committed, and once the commit has begun the lease cannot be lost before
 * the outcome is known. (A connection that breaks during the commit leaves the outcome open; the
 * dedupe row decides when the event comes again.)
 */
final class OnceInTransaction {

  private static final int DEEPEST_CAUSE = 20;
  private static final int VALIDITY_SECONDS = 5;

  private final @Nullable Inbox inbox;
  private final InboxEntries entries;

  OnceInTransaction(@Nullable Inbox inbox, InboxEntries entries) {
    this.inbox = inbox;
    this.entries = entries;
  }

  Outcome apply(PreparedDelivery prepared) throws Exception {
    if (!prepared.route().needsInbox()) {
      prepared.invoke(null);
      // also when the lease was lost meanwhile: the effect has happened, nothing can undo it, and a
      // retry would only repeat it
      return Outcome.APPLIED;
    }
    Inbox open = Objects.requireNonNull(inbox, "build() refuses such a handler without an inbox");
    boolean settled = false;
    try {
      InboxOutcome outcome = open.process(entries.of(prepared), tx -> apply(prepared, tx));
      settled = true;
      return switch (outcome) {
        case APPLIED -> Outcome.APPLIED;
        case DUPLICATE -> Outcome.DUPLICATE;
        case STALE -> Outcome.STALE;
        case GAP -> throw gap(prepared);
        case WINDOW_EXCEEDED ->
            throw new DedupeWindowException(
                "event "
                    + prepared.delivery().event().getId()
                    + " is older than the inbox remembers, so it may have taken effect before; see"
                    + " JdbcInbox.Builder.window and beyondWindow");
      };
    } finally {
      prepared.lease().endCommit(settled);
    }
  }

  private static VersionGapException gap(PreparedDelivery prepared) {
    Event event = prepared.delivery().event();
    long version = event.entityVersion().orElse(0);
    return new VersionGapException(
        prepared.route().name()
            + " takes versions one after the other, and of entity (hash "
            + KeyHash.of(event.entityKey().orElse("").getBytes(StandardCharsets.UTF_8))
            + ") version "
            + (version - 1)
            + " has not been applied, which must come before version "
            + version
            + " of event "
            + event.getId()
            + "; publish or redrive the missing versions and then this event, or set"
            + " versionGaps to a longer maxWait or to APPLY");
  }

  /** May run more than once: the inbox repeats transactions that lost against another. */
  private static void apply(PreparedDelivery prepared, Connection tx) throws Exception {
    HandlerLease lease = prepared.lease();
    lease.beginEffect();
    invoke(prepared, tx);
    if (!lease.beginCommit()) {
      throw lease.refusal();
    }
  }

  private static void invoke(PreparedDelivery prepared, Connection tx) throws Exception {
    try {
      prepared.invoke(tx);
    } catch (Exception e) {
      // a lost lease interrupts, and drivers may answer that by closing the connection
      if (!prepared.lease().isLost() && isOfDatabase(e) && !tx.isValid(VALIDITY_SECONDS)) {
        // the outage is not the event's fault, and must not use up its attempts
        throw new InboxUnavailableException(
            "the database connection was lost while "
                + prepared.route().name()
                + " ran; check that the database is up",
            e);
      }
      throw e;
    }
  }

  private static boolean isOfDatabase(Throwable error) {
    Throwable link = error;
    for (int depth = 0; link != null && depth < DEEPEST_CAUSE; depth++) {
      if (link instanceof SQLException) {
        return true;
      }
      link = link.getCause();
    }
    return false;
  }
}
