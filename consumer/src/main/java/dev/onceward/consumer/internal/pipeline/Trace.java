package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventFormatException;
import dev.onceward.tracing.EventTracing;
import dev.onceward.tracing.EventTracing.ProcessSpan;
import io.opentelemetry.context.Scope;
import java.util.List;
import java.util.Locale;

/** Puts a process span and the log context around everything that follows. */
final class Trace implements Interceptor {

  private final EventTracing tracing;
  private final Routes routes;

  Trace(EventTracing tracing, Routes routes) {
    this.tracing = tracing;
    this.routes = routes;
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    Delivery delivery = chain.delivery();
    ProcessSpan span = start(delivery);
    try (Scope scope = span.makeCurrent()) {
      Outcome outcome = chain.proceed(delivery);
      span.ended(outcome.name().toLowerCase(Locale.ROOT));
      return outcome;
    } catch (Throwable e) {
      span.failed(e);
      throw e;
    }
  }

  /** Begins the span of several deliveries, which one call of their handler takes. */
  ProcessSpan start(List<Delivery> deliveries, Route route) {
    return tracing.startProcessBatch(
        deliveries.stream().map(Delivery::record).toList(),
        deliveries.get(0).group(),
        route.handlerId());
  }

  /** Begins the span of a delivery. */
  ProcessSpan start(Delivery delivery) {
    ProcessSpan span =
        tracing.startProcess(delivery.record(), delivery.group(), delivery.attempt());
    describe(span, delivery);
    return span;
  }

  private void describe(ProcessSpan span, Delivery delivery) {
    Event event;
    try {
      event = delivery.event();
    } catch (EventFormatException unreadable) {
      // ReadEvent throws it again, inside the span
      return;
    }
    Route route = routes.find(delivery.topic(), event.getType());
    span.event(event, route == null ? delivery.group() : route.handlerId());
  }
}
