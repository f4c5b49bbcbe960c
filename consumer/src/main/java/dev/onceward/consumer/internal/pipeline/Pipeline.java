package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.handler.Routes;
import dev.onceward.dedupe.Inbox;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.tracing.EventTracing;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of a delivery, in the order in which it runs. The steps before {@link Effects} run per
 * delivery; {@link Effects} is the transactional half. Thread-safe.
 */
public final class Pipeline {

  private final List<Interceptor> steps;

  private Pipeline(List<Interceptor> steps) {
    this.steps = List.copyOf(steps);
  }

  /** Puts the steps together; the one place where their order is decided. */
  public static Pipeline of(
      Routes routes,
      @Nullable Inbox inbox,
      PayloadMapper payloads,
      EventTracing tracing,
      UnhandledEvents unhandled,
      List<Interceptor> users,
      Clock clock) {
    List<Interceptor> steps = new ArrayList<>();
    steps.add(new SkipTombstones());
    steps.add(new Trace(tracing, routes));
    steps.add(new ReadEvent());
    steps.add(new SkipExpired(clock));
    steps.add(new RouteByType(routes, unhandled));
    steps.addAll(users);
    steps.add(new DecodePayload(payloads));
    steps.add(new Effects(new OnceInTransaction(inbox)));
    return new Pipeline(steps);
  }

  /** Runs the steps on the calling thread. */
  public Outcome handle(Delivery delivery) throws Exception {
    return new PipelineChain(steps, delivery).proceed(delivery);
  }
}
