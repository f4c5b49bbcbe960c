package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.failure.InvalidEventException;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.dedupe.InboxOutcome;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.envelope.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transactional half: dedupe row, version, handler and commit. A handler that needs no inbox
 * runs without a transaction.
 *
 * <p>An effect in a transaction is committed only with the right to do so from its lease: once the
 * lease is lost nothing is committed, and once the commit has begun the lease can not be lost
 * before the outcome is known. (A connection that breaks during the commit leaves the outcome open;
 * the dedupe row decides when the event comes again.)
 */
final class OnceInTransaction {

  private static final int DEEPEST_CAUSE = 20;
  private static final int VALIDITY_SECONDS = 5;

  private final @Nullable Inbox inbox;

  OnceInTransaction(@Nullable Inbox inbox) {
    this.inbox = inbox;
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
      InboxOutcome outcome = open.process(entry(prepared), tx -> apply(prepared, tx));
      settled = true;
      return switch (outcome) {
        case APPLIED -> Outcome.APPLIED;
        case DUPLICATE -> Outcome.DUPLICATE;
        case STALE -> Outcome.STALE;
        case GAP ->
            throw new IllegalStateException(
                "the version before that of event "
                    + prepared.delivery().event().getId()
                    + " has not been applied yet");
        case WINDOW_EXCEEDED ->
            throw new PermanentFailure(
                "DEDUPE_WINDOW_EXCEEDED: event "
                    + prepared.delivery().event().getId()
                    + " is older than the inbox's window, so whether it took effect before is not"
                    + " known any more; see JdbcInbox.builder(...).window and beyondWindow");
      };
    } finally {
      prepared.lease().endCommit(settled);
    }
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

  private static InboxEntry entry(PreparedDelivery prepared) {
    Route route = prepared.route();
    Event event = prepared.delivery().event();
    InboxEntry entry =
        InboxEntry.of(route.handlerId(), event.getSource(), event.getId())
            .withIdempotency(route.idempotent() ? Idempotency.EVENT : Idempotency.NONE)
            .withVersion(route.versionGuard() ? version(prepared, event) : null);
    return event.getTime() == null ? entry : entry.withEventTime(event.getTime().toInstant());
  }

  private static EntityVersion version(PreparedDelivery prepared, Event event) {
    String needs = prepared.route().name() + " is guarded by version, but event " + event.getId();
    if (event.entityVersion().isEmpty()) {
      throw new InvalidEventException(
          needs + " has no ce_entityversion; publish it with Event.Builder.entityVersion");
    }
    String key =
        event
            .entityKey()
            .orElseThrow(
                () ->
                    new InvalidEventException(
                        needs + " has no ce_partitionkey; publish it with an entity key"));
    return EntityVersion.latest(
        prepared.delivery().topic(), key, event.entityVersion().getAsLong());
  }
}
