package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.failure.InvalidEventException;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.envelope.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transactional half: dedupe row, version, handler and commit. A handler that needs no inbox
 * runs without a transaction.
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
      return Outcome.APPLIED;
    }
    Inbox open = Objects.requireNonNull(inbox, "build() refuses such a handler without an inbox");
    return switch (open.process(entry(prepared), tx -> invoke(prepared, tx))) {
      case APPLIED -> Outcome.APPLIED;
      case DUPLICATE -> Outcome.DUPLICATE;
      case STALE -> Outcome.STALE;
    };
  }

  private static void invoke(PreparedDelivery prepared, Connection tx) throws Exception {
    try {
      prepared.invoke(tx);
    } catch (Exception e) {
      if (isOfDatabase(e) && !tx.isValid(VALIDITY_SECONDS)) {
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
    return new InboxEntry(
        route.handlerId(),
        event.getSource(),
        event.getId(),
        route.idempotent(),
        route.versionGuard() ? version(prepared, event) : null);
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
    return new EntityVersion(prepared.delivery().topic(), key, event.entityVersion().getAsLong());
  }
}
