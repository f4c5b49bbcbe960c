package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.internal.failure.InvalidEventException;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.envelope.Event;

/** What the inbox is to know of a delivery. Thread-safe. */
final class InboxEntries {

  /**
   * The entry of a delivery.
   *
   * @throws InvalidEventException if the event lacks what its handler needs
   */
  InboxEntry of(PreparedDelivery prepared) {
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
