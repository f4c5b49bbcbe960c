package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.internal.handler.Route;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** A delivery that is read, routed and decoded: all that is left is its effect. */
record PreparedDelivery(Delivery delivery, Route route, @Nullable Object payload) {

  /** Runs the handler, in {@code tx} when it has one. */
  void invoke(@Nullable Connection tx) throws Exception {
    route.call().handle(delivery, payload, tx);
  }
}
