package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Route.Input;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is read, routed and decoded: all that is left is its effect.
 *
 * @param lease the engine's lease, whatever that of a wrapped delivery is
 * @param acceptsGap whether it is applied although versions before its own are missing
 */
record PreparedDelivery(
    Delivery delivery,
    HandlerLease lease,
    Route route,
    @Nullable Object payload,
    boolean acceptsGap) {

  /** Runs the handler, in {@code tx} when it has one. */
  void invoke(@Nullable Connection tx) throws Exception {
    route.call().handle(List.of(input()), tx);
  }

  /** What its handler is called with. */
  Input input() {
    return new Input(delivery, payload);
  }
}
