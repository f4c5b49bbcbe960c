package dev.onceward.examples.orders;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.examples.orders.OrderEvents.OrderCancelled;
import dev.onceward.examples.orders.OrderEvents.OrderPaid;
import dev.onceward.examples.orders.OrderEvents.OrderPlaced;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * What a busy shop publishes, trouble included: some events come twice, some out of version order,
 * and some are poison. The same seed gives the same events, but for their times.
 */
final class OrderStream {

  private static final URI SOURCE = URI.create("/acme/orders");
  private static final int OPEN_ORDERS = 400;
  private static final double DUPLICATED = 0.05;
  private static final double OUT_OF_ORDER = 0.06;
  private static final double POISONED = 0.004;

  private final PayloadMapper mapper = JacksonPayloadMapper.standard();
  private final Random random;
  private final long seed;
  private final List<Deque<Event>> open = new ArrayList<>();
  private final Deque<Event> again = new ArrayDeque<>();
  private int orders;

  OrderStream(long seed) {
    this.seed = seed;
    this.random = new Random(seed);
  }

  /** Something to send: an event, or bytes that are none. */
  sealed interface Item {

    /** An event of an order. */
    record OfEvent(Event event) implements Item {}

    /** A record of an order that is no event. */
    record Garbage(String orderId, String value) implements Item {}
  }

  /** The next thing to send. */
  Item next() {
    while (open.size() < OPEN_ORDERS) {
      open.add(newOrder());
    }
    if (random.nextDouble() < POISONED) {
      return poison();
    }
    if (!again.isEmpty() && random.nextDouble() < 2 * DUPLICATED) {
      return new Item.OfEvent(again.remove());
    }
    int at = random.nextInt(open.size());
    Deque<Event> order = open.get(at);
    Event event = order.remove();
    if (order.isEmpty()) {
      Collections.swap(open, at, open.size() - 1);
      open.remove(open.size() - 1);
    }
    if (random.nextDouble() < DUPLICATED) {
      again.add(event);
    }
    return new Item.OfEvent(event);
  }

  private Deque<Event> newOrder() {
    String id = "order-" + seed + "-" + orders++;
    long cents = 100L + random.nextInt(100_000);
    List<Event> events = new ArrayList<>();
    events.add(
        event(
            id,
            OrderEvents.PLACED,
            1,
            new OrderPlaced(id, "customer-" + random.nextInt(500), cents)));
    events.add(event(id, OrderEvents.PAID, 2, new OrderPaid(id, cents)));
    if (random.nextInt(4) == 0) {
      events.add(
          event(id, OrderEvents.CANCELLED, 3, new OrderCancelled(id, "changed mind", cents)));
    }
    if (random.nextDouble() < OUT_OF_ORDER) {
      Collections.swap(events, 0, 1);
    }
    return new ArrayDeque<>(events);
  }

  private Item poison() {
    String id = "order-" + seed + "-" + random.nextInt(orders);
    return switch (random.nextInt(3)) {
      case 0 -> new Item.Garbage(id, "not an event");
      case 1 ->
          new Item.OfEvent(
              builder(id, OrderEvents.PLACED, 9)
                  .data(
                      "{\"orderId\": 17, \"amountCents\": \"a lot".getBytes(StandardCharsets.UTF_8),
                      "application/json")
                  .build());
      default ->
          new Item.OfEvent(event(id, OrderEvents.PLACED, 9, new OrderPlaced(id, "mallory", -1)));
    };
  }

  private Event event(String orderId, String type, long version, Object payload) {
    return builder(orderId, type, version).data(payload, mapper).build();
  }

  private Event.Builder builder(String orderId, String type, long version) {
    return Event.builder()
        .id(new UUID(random.nextLong(), random.nextLong()).toString())
        .source(SOURCE)
        .type(type)
        .subject(orderId)
        .entityVersion(version);
  }
}
