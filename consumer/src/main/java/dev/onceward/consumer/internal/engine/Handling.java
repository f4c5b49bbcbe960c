package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.SharedDelivery;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How deliveries are handled: the pipeline, as the engine knows it. Must be thread-safe. */
@FunctionalInterface
public interface Handling {

  /** Handles one delivery. */
  Outcome handle(Delivery delivery) throws Exception;

  /**
   * Handles as many of the deliveries as can be handled together; by default none.
   *
   * @return by position, what became of each; null for those that were not handled and are to be
   *     handled by themselves. In a lane nothing is handled behind one that was not
   */
  default List<@Nullable Outcome> handleTogether(List<SharedDelivery> deliveries) {
    return Collections.nCopies(deliveries.size(), null);
  }
}
