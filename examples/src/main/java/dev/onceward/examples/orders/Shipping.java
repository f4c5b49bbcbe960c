package dev.onceward.examples.orders;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.VersionGuard;
import dev.onceward.envelope.Event;
import dev.onceward.examples.orders.OrderEvents.OrderCancelled;
import dev.onceward.examples.orders.OrderEvents.OrderPaid;
import dev.onceward.examples.orders.OrderEvents.OrderPlaced;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Keeps what is to be shipped: the newest state of each order, and a journal of the states it went
 * through. Cancelling is slow, as if a warehouse had to be asked.
 */
@EventHandlers(id = "shipping", topics = OrderEvents.TOPIC)
@Idempotent
@VersionGuard
final class Shipping {

  private static final long WAREHOUSE_MILLIS = 20;

  private static final String PUT =
      """
      WITH journal AS (
        INSERT INTO shipment_journal (event_id, order_id, version, published_at)
        VALUES (?, ?, ?, ?))
      INSERT INTO shipment (order_id, version, state) VALUES (?, ?, ?)
      ON CONFLICT (order_id) DO UPDATE SET version = EXCLUDED.version, state = EXCLUDED.state
      """;

  @Handles(OrderEvents.PLACED)
  void placed(OrderPlaced order, Delivery delivery, Connection tx) throws SQLException {
    if (order.amountCents() < 0) {
      throw new PermanentFailure("the amount of an order cannot be negative");
    }
    put(tx, delivery.event(), order.orderId(), "WAITING");
  }

  @Handles(OrderEvents.PAID)
  void paid(OrderPaid order, Delivery delivery, Connection tx) throws SQLException {
    put(tx, delivery.event(), order.orderId(), "TO_SHIP");
  }

  @Handles(OrderEvents.CANCELLED)
  void cancelled(OrderCancelled order, Delivery delivery, Connection tx)
      throws SQLException, InterruptedException {
    Thread.sleep(WAREHOUSE_MILLIS);
    put(tx, delivery.event(), order.orderId(), "CALLED_OFF");
  }

  private static void put(Connection tx, Event event, String orderId, String state)
      throws SQLException {
    long version = event.entityVersion().orElseThrow();
    try (PreparedStatement put = tx.prepareStatement(PUT)) {
      put.setString(1, event.getId());
      put.setString(2, orderId);
      put.setLong(3, version);
      put.setObject(4, event.getTime());
      put.setString(5, orderId);
      put.setLong(6, version);
      put.setString(7, state);
      put.executeUpdate();
    }
  }
}
