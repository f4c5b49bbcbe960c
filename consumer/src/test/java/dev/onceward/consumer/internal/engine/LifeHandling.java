package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.SharedDelivery;
import dev.onceward.consumer.internal.engine.EngineLife.Handler;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler of a life. What is handled together takes effect together, as if from a
 * transaction that is committed.
 */
final class LifeHandling implements Handling {

  private final EngineLife life;
  private final Handler handler;
  private final List<List<Long>> sharedRuns;

  /** {@code sharedRuns} gets the offsets of the records that are tried together. */
  LifeHandling(EngineLife life, Handler handler, List<List<Long>> sharedRuns) {
    this.life = life;
    this.handler = handler;
    this.sharedRuns = sharedRuns;
  }

  @Override
  public Outcome handle(Delivery delivery) throws Exception {
    call(delivery, true);
    return Outcome.APPLIED;
  }

  @Override
  public List<@Nullable Outcome> handleTogether(List<SharedDelivery> deliveries) {
    sharedRuns.add(deliveries.stream().map(shared -> shared.delivery().offset()).toList());
    try {
      handleAll(deliveries.stream().map(SharedDelivery::delivery).toList());
      return Collections.nCopies(deliveries.size(), Outcome.APPLIED);
    } catch (Exception e) {
      return Collections.nCopies(deliveries.size(), null);
    }
  }

  private void handleAll(List<Delivery> deliveries) throws Exception {
    for (Delivery delivery : deliveries) {
      HandlerLease.of(delivery).beginEffect();
      call(delivery, false);
      HandlerLease.of(delivery).stopTime();
    }
    for (Delivery delivery : deliveries) {
      if (!HandlerLease.of(delivery).beginCommit()) {
        throw HandlerLease.of(delivery).refusal();
      }
    }
    life.returned(deliveries);
  }

  private void call(Delivery delivery, boolean takesEffect) throws Exception {
    life.begun(delivery);
    try {
      handler.handle(delivery);
      if (takesEffect) {
        life.returned(List.of(delivery));
      }
    } finally {
      life.ended(delivery);
    }
  }
}
