package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.failure.InvalidEventException;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.envelope.Event;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transactional half: dedupe row, version, handler and commit. A handler that needs no inbox
 * runs without a transaction.
 */
final class OnceInTransaction {

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
    return switch (open.process(entry(prepared), prepared::invoke)) {
      case APPLIED -> Outcome.APPLIED;
      case DUPLICATE -> Outcome.DUPLICATE;
      case STALE -> Outcome.STALE;
    };
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
