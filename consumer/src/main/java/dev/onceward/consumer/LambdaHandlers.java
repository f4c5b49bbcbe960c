package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import dev.onceward.consumer.internal.handler.HandlerScanner;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.Route.PayloadParameter;
import dev.onceward.dedupe.InboxEntry;
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
        (delivery, data, tx) ->
            handler.handle(payload.cast(requireNonNull(data, "payload")), delivery),
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
        (delivery, data, tx) ->
            handler.handle(
                payload.cast(requireNonNull(data, "payload")),
                delivery,
                requireNonNull(tx, "transaction")),
        guarantees);
  }

  /**
   * Handles a type of event whose data the handler does not take, or takes from {@link
   * Delivery#event} by itself; events without data reach it too.
   */
  public LambdaHandlers on(String type, DeliveryHandler handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(type, null, false, (delivery, data, tx) -> handler.handle(delivery), guarantees);
  }

  /** As {@link #on(String, DeliveryHandler, Guarantee...)}, in a transaction. */
  public LambdaHandlers on(
      String type, TransactionalDeliveryHandler handler, Guarantee... guarantees) {
    requireNonNull(handler);
    return add(
        type,
        null,
        true,
        (delivery, data, tx) -> handler.handle(delivery, requireNonNull(tx, "transaction")),
        guarantees);
  }

  private LambdaHandlers add(
      String type,
      @Nullable Class<?> payload,
      boolean transactional,
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
            wanted.contains(Guarantee.IDEMPOTENT),
            wanted.contains(Guarantee.VERSION_GUARD),
            payload == null ? null : new PayloadParameter(payload, false),
            transactional,
            call));
    return this;
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
}
