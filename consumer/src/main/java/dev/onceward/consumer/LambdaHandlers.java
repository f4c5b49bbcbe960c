package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import dev.onceward.consumer.internal.handler.HandlerScanner;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Route.PayloadParameter;
import dev.onceward.consumer.internal.handler.VersionRule;
import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Handlers given as lambdas, with the same meaning as an {@link EventHandlers} class. Give the
 * finished object to {@link EventConsumer.Builder#handlers}. Not thread-safe while it is built.
 *
 * <pre>{@code
 * LambdaHandlers.of("billing", "orders.order.events")
 *     .on("com.acme.orders.placed.v1", OrderPlaced.class, (order, delivery) -> charge(order))
 * }</pre>
 */
public final class LambdaHandlers {

  private final String id;
  private final Set<String> topics;
  private final List<Route> routes = new ArrayList<>();

  private LambdaHandlers(String id, Set<String> topics) {
    this.id = id;
    this.topics = topics;
  }

  /**
   * Starts a set of handlers.
   *
   * @param id the dedupe scope, as {@link EventHandlers#id}
   * @param topics the topics to read, at least one
   */
  public static LambdaHandlers of(String id, String... topics) {
    if (id.isBlank()) {
      throw new IllegalArgumentException("the handler id is blank; give it a lasting name");
    }
    if (!InboxEntry.isHandlerId(id)) {
      throw new IllegalArgumentException(
          "the handler id is longer than 200 characters or has control characters; give it a short"
              + " name");
    }
    if (topics.length == 0) {
      throw new IllegalArgumentException("handler '" + id + "' names no topic; name at least one");
    }
    if (Arrays.stream(topics).anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("handler '" + id + "' names a blank topic; name it");
    }
    return new LambdaHandlers(id, Set.copyOf(Arrays.asList(topics)));
  }

  /**
   * Handles a type of event.
   *
   * @param type the event type, or a prefix ending in {@code *} as in {@link Handles#value}
   */
  public <T> LambdaHandlers on(
      String type, Class<T> payload, Handler<T> handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(
        type,
        payload,
        false,
        one((delivery, data, tx) -> handler.handle(payload.cast(present(data)), delivery)),
        guarantees);
  }

  /** Handles a type of event in a transaction that the inbox commits. */
  public <T> LambdaHandlers on(
      String type, Class<T> payload, TransactionalHandler<T> handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(
        type,
        payload,
        true,
        one(
            (delivery, data, tx) ->
                handler.handle(payload.cast(present(data)), delivery, present(tx))),
        guarantees);
  }

  /**
   * Handles a type of event whose data the handler does not take, or takes from {@link
   * Delivery#event} by itself; events without data reach it too.
   */
  public LambdaHandlers on(String type, DeliveryHandler handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(
        type, null, false, one((delivery, data, tx) -> handler.handle(delivery)), guarantees);
  }

  /** As {@link #on(String, DeliveryHandler, Guarantee...)}, in a transaction. */
  public LambdaHandlers on(
      String type, TransactionalDeliveryHandler handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(
        type,
        null,
        true,
        one((delivery, data, tx) -> handler.handle(delivery, present(tx))),
        guarantees);
  }

  /**
   * Handles several events of a type at once, in a transaction that the inbox commits: as many as
   * are ready, at least one. Their effects are committed together; see {@link BatchPolicy}.
   */
  public <T> LambdaHandlers onBatch(
      String type, Class<T> payload, BatchHandler<T> handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(
        type,
        payload,
        true,
        true,
        (inputs, tx) -> {
          List<T> payloads = new ArrayList<>(inputs.size());
          List<Delivery> deliveries = new ArrayList<>(inputs.size());
          for (Route.Input input : inputs) {
            payloads.add(payload.cast(present(input.payload())));
            deliveries.add(input.delivery());
          }
          handler.handle(payloads, deliveries, present(tx));
        },
        guarantees);
  }

  private LambdaHandlers add(
      String type,
      @Nullable Class<?> payload,
      boolean transactional,
      Route.Call call,
      Guarantee... guarantees) {
    return add(type, payload, transactional, false, call, guarantees);
  }

  private LambdaHandlers add(
      String type,
      @Nullable Class<?> payload,
      boolean transactional,
      boolean takesLists,
      Route.Call call,
      Guarantee... guarantees) {
    @Nullable String problem = HandlerScanner.patternProblem(type);
    if (problem == null && payload != null) {
      problem = HandlerScanner.payloadProblem(payload);
    }
    if (problem != null) {
      throw new IllegalArgumentException("handler '" + id + "': " + problem);
    }
    Set<Guarantee> wanted = Set.copyOf(Arrays.asList(guarantees));
    routes.add(
        new Route(
            id,
            id + "[" + type + "]",
            topics,
            type,
            idempotency(wanted),
            versions(wanted),
            payload == null ? null : new PayloadParameter(payload, false),
            transactional,
            takesLists,
            call));
    return this;
  }

  private static Idempotency idempotency(Set<Guarantee> wanted) {
    if (wanted.contains(Guarantee.IDEMPOTENT)) {
      // it holds wherever the offset does, and more
      return Idempotency.EVENT;
    }
    return wanted.contains(Guarantee.IDEMPOTENT_BY_OFFSET) ? Idempotency.OFFSET : Idempotency.NONE;
  }

  private static @Nullable VersionRule versions(Set<Guarantee> wanted) {
    if (wanted.contains(Guarantee.NEXT_VERSION)) {
      return VersionRule.NEXT;
    }
    return wanted.contains(Guarantee.VERSION_GUARD) ? VersionRule.LATEST : null;
  }

  /** A call for one delivery at a time. */
  private interface OneCall {
    void handle(Delivery delivery, @Nullable Object payload, @Nullable Connection tx)
        throws Exception;
  }

  private static Route.Call one(OneCall call) {
    return (inputs, tx) -> {
      Route.Input input = inputs.get(0);
      call.handle(input.delivery(), input.payload(), tx);
    };
  }

  /** The pipeline gives a payload to whom takes one, and a transaction likewise. */
  private static <T> T present(@Nullable T value) {
    return requireNonNull(value, "payload or transaction");
  }

  String id() {
    return id;
  }

  List<Route> routes() {
    return List.copyOf(routes);
  }

  /** Handles one event. Must be thread-safe. */
  @FunctionalInterface
  public interface Handler<T> {
    /** Handles the event; whatever it throws is a failure of the delivery. */
    void handle(T payload, Delivery delivery) throws Exception;
  }

  /** Handles one event with the transaction of its effect. Must be thread-safe. */
  @FunctionalInterface
  public interface TransactionalHandler<T> {
    /** Handles the event; the inbox commits {@code tx} when it returns. */
    void handle(T payload, Delivery delivery, Connection tx) throws Exception;
  }

  /** Handles one event by its delivery alone. Must be thread-safe. */
  @FunctionalInterface
  public interface DeliveryHandler {
    /** Handles the event; whatever it throws is a failure of the delivery. */
    void handle(Delivery delivery) throws Exception;
  }

  /** Handles one event by its delivery alone, in a transaction. Must be thread-safe. */
  @FunctionalInterface
  public interface TransactionalDeliveryHandler {
    /** Handles the event; the inbox commits {@code tx} when it returns. */
    void handle(Delivery delivery, Connection tx) throws Exception;
  }

  /** Handles several events of a type at once with the transaction of their effects. */
  @FunctionalInterface
  public interface BatchHandler<T> {
    /**
     * Handles the events; the inbox commits {@code tx} when it returns. When it throws, nothing is
     * committed, and it is called once more for each event by itself. Must be thread-safe.
     *
     * @param payloads their data, one or more; of one key in offset order
     * @param deliveries their deliveries, by the same positions
     */
    void handle(List<T> payloads, List<Delivery> deliveries, Connection tx) throws Exception;
  }
}
