package dev.onceward.examples.orders;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.envelope.Event;
import dev.onceward.examples.orders.OrderEvents.OrderCancelled;
import dev.onceward.examples.orders.OrderEvents.OrderPaid;
import dev.onceward.examples.orders.OrderEvents.OrderPlaced;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/**
 * Keeps the ledger. Every event is a booking of its own, in whatever order they come, and each is
 * booked once: the table has no unique key that would help.
 */
@EventHandlers(id = "billing", topics = OrderEvents.TOPIC)
final class Billing {

  private static final String BOOK =
      "INSERT INTO ledger (event_id, order_id, kind, amount_cents, published_at)"
          + " VALUES (?, ?, ?, ?, ?)";

  @Handles(OrderEvents.PLACED)
  @Idempotent
  void placed(OrderPlaced order, Delivery delivery, Connection tx) throws SQLException {
    if (order.amountCents() < 0) {
      throw new PermanentFailure("the amount of an order cannot be negative");
    }
    book(tx, delivery.event(), order.orderId(), "CHARGE", order.amountCents());
  }

  @Handles(OrderEvents.PAID)
  @Idempotent
  void paid(OrderPaid order, Delivery delivery, Connection tx) throws SQLException {
    book(tx, delivery.event(), order.orderId(), "PAYMENT", -order.amountCents());
  }

  @Handles(OrderEvents.CANCELLED)
  @Idempotent
  void cancelled(OrderCancelled order, Delivery delivery, Connection tx) throws SQLException {
    book(tx, delivery.event(), order.orderId(), "REFUND", -order.amountCents());
  }

  private static void book(Connection tx, Event event, String orderId, String kind, long cents)
      throws SQLException {
    OffsetDateTime published = event.getTime();
    try (PreparedStatement insert = tx.prepareStatement(BOOK)) {
      insert.setString(1, event.getId());
      insert.setString(2, orderId);
      insert.setString(3, kind);
      insert.setLong(4, cents);
      insert.setObject(5, published);
      insert.executeUpdate();
    }
  }
}
