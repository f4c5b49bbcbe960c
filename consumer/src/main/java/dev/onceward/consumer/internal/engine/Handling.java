package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Outcome;

/** How a delivery is handled: the pipeline, as the engine knows it. Must be thread-safe. */
@FunctionalInterface
public interface Handling {
  Outcome handle(Delivery delivery) throws Exception;
}
