package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.internal.failure.InvalidEventException;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.VersionRule;
import dev.onceward.dedupe.Fence;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.envelope.Event;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the inbox is to know of a delivery. Thread-safe when its functions are. */
public final class InboxEntries {

  private final Function<Delivery, FenceScope> scopes;
  private final Function<Delivery, Map<String, String>> settings;

  /**
   * Creates it.
   *
   * @param scopes names the fence of a delivery that has one
   * @param settings the settings of its transaction
   */
  public InboxEntries(
      Function<Delivery, FenceScope> scopes, Function<Delivery, Map<String, String>> settings) {
    this.scopes = scopes;
    this.settings = settings;
  }

  /**
   * The entry of a delivery.
   *
   * @throws InvalidEventException if the event lacks what its handler needs
   */
  InboxEntry of(PreparedDelivery prepared) {
    Route route = prepared.route();
    Delivery delivery = prepared.delivery();
    Event event = delivery.event();
    return new InboxEntry(
        route.handlerId(),
        event.getSource(),
        event.getId(),
        route.idempotency(),
        time(event),
        version(prepared, event),
        fence(delivery),
        route.idempotency() == Idempotency.OFFSET
            ? OptionalLong.of(delivery.offset())
            : OptionalLong.empty(),
        settings.apply(delivery));
  }

  private static @Nullable Instant time(Event event) {
    OffsetDateTime time = event.getTime();
    return time == null ? null : time.toInstant();
  }

  private @Nullable Fence fence(Delivery delivery) {
    OptionalLong epoch = delivery.fence();
    return epoch.isEmpty() ? null : new Fence(scopes.apply(delivery), epoch.getAsLong());
  }

  private static @Nullable EntityVersion version(PreparedDelivery prepared, Event event) {
    VersionRule rule = prepared.route().versions();
    if (rule == null) {
      return null;
    }
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
    return rule.of(
        prepared.delivery().topic(), key, event.entityVersion().getAsLong(), prepared.acceptsGap());
  }
}
