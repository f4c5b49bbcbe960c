package dev.onceward.consumer.internal.pipeline;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.consumer.internal.SharedDelivery;
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
 * delivery; {@link Effects} is the transactional half, which {@link SharedEffects} is for many.
 * Thread-safe.
 */
public final class Pipeline {

  private final List<Interceptor> steps;
  private final Together together;

  private Pipeline(List<Interceptor> steps, Together together) {
    this.steps = List.copyOf(steps);
    this.together = together;
  }

  /** Puts the steps together; the one place where their order is decided. */
  public static Pipeline of(
      Routes routes,
      @Nullable Inbox inbox,
      InboxEntries entries,
      PayloadMapper payloads,
      EventTracing tracing,
      UnhandledEvents unhandled,
      List<Interceptor> users,
      Clock clock) {
    Trace trace = new Trace(tracing, routes);
    List<Interceptor> prepare =
        List.of(
            new SkipTombstones(),
            new ReadEvent(),
            new SkipExpired(clock),
            new RouteByType(routes, unhandled));
    Interceptor decode = new DecodePayload(payloads);

    List<Interceptor> one = new ArrayList<>(prepare);
    one.add(1, trace);
    one.addAll(users);
    one.add(decode);
    one.add(new Effects(new OnceInTransaction(inbox, entries)));

    // no users' steps, for they surround one delivery: build() refuses them beside batches
    List<Interceptor> many = new ArrayList<>(prepare);
    many.add(new OnlyShareable());
    many.add(decode);
    many.add(new Prepared());
    return new Pipeline(one, new Together(many, entries, new SharedEffects(inbox, trace)));
  }

  /** Runs the steps on the calling thread. */
  public Outcome handle(Delivery delivery) throws Exception {
    return new PipelineChain(steps, delivery).proceed(delivery);
  }

  /**
   * Runs the steps of several deliveries on the calling thread, their effects in one transaction.
   *
   * @return by position, what became of each; null for those that were not handled and are to be
   *     handled by themselves. In a lane nothing is handled behind one that was not
   */
  public List<@Nullable Outcome> handleTogether(List<SharedDelivery> deliveries) {
    return together.handle(deliveries);
  }
}
