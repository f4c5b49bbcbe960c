package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.failure.UnhandledEventException;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Routes;

/** Finds the handler of the event's type. */
final class RouteByType implements Interceptor {

  private final Routes routes;
  private final UnhandledEvents unhandled;

  RouteByType(Routes routes, UnhandledEvents unhandled) {
    this.routes = routes;
    this.unhandled = unhandled;
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    Delivery delivery = chain.delivery();
    Route route = routes.find(delivery.topic(), delivery.event().getType());
    if (route == null) {
      if (unhandled == UnhandledEvents.DEAD_LETTER) {
        throw new UnhandledEventException(
            "no handler of group " + delivery.group() + " takes " + delivery.event().getType());
      }
      return Outcome.UNHANDLED;
    }
    PipelineChain.of(chain).route(route);
    return chain.proceed(delivery);
  }
}
