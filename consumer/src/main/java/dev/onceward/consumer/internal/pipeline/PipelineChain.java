package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.handler.Route;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The steps of one delivery, and what they tell each other. Confined to one thread. */
final class PipelineChain implements Interceptor.Chain {

  private final List<Interceptor> steps;
  private final HandlerLease lease;
  private final boolean acceptsGap;
  private Delivery delivery;
  private int next;
  private @Nullable Route route;
  private @Nullable Object payload;
  private @Nullable PreparedDelivery prepared;

  PipelineChain(List<Interceptor> steps, Delivery delivery) {
    this.steps = steps;
    this.delivery = delivery;
    this.lease = HandlerLease.of(delivery);
    this.acceptsGap = delivery instanceof RecordDelivery record && record.acceptsGap();
  }

  /** The chain behind the interface that users see; no other implementation reaches a step. */
  static PipelineChain of(Interceptor.Chain chain) {
    return (PipelineChain) chain;
  }

  @Override
  public Delivery delivery() {
    return delivery;
  }

  @Override
  public Outcome proceed(Delivery delivery) throws Exception {
    Delivery outer = this.delivery;
    int current = next;
    this.delivery = delivery;
    next = current + 1;
    try {
      Interceptor step = steps.get(current);
      @Nullable Outcome outcome = step.intercept(this);
      if (outcome == null) {
        throw new IllegalStateException(
            "interceptor "
                + step.getClass().getName()
                + " returned null as the outcome; return what proceed() returns");
      }
      return outcome;
    } finally {
      // back to the caller's place, so that a step may proceed again
      this.delivery = outer;
      next = current;
    }
  }

  /** The handler; known after {@link RouteByType}. */
  Route route() {
    return Objects.requireNonNull(route, "not routed yet");
  }

  void route(Route route) {
    this.route = route;
  }

  /** The decoded payload; null when the handler takes none or the event has none. */
  void payload(@Nullable Object payload) {
    this.payload = payload;
  }

  /** The present delivery with all that the steps have found out. */
  PreparedDelivery prepare() {
    return new PreparedDelivery(delivery, lease, route(), payload, acceptsGap);
  }

  /** What {@link Prepared} has kept, or null when the steps did not get so far. */
  @Nullable PreparedDelivery prepared() {
    return prepared;
  }

  void prepared(PreparedDelivery prepared) {
    this.prepared = prepared;
  }
}
