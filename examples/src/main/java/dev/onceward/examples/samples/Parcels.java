package dev.onceward.examples.samples;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.producer.outbox.Outbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A handler that takes effect and tells of it, in one transaction. */
@EventHandlers(id = "parcels", topics = "orders.order.events")
final class Parcels {

  private final Outbox outbox;

  Parcels(Outbox outbox) {
    this.outbox = outbox;
  }

  @Handles("com.acme.orders.paid.v1")
  @Idempotent
  void paid(OrderPlaced order, Delivery delivery, Connection tx) throws SQLException {
    ship(tx, order);
    outbox.append(
        tx,
        "shipping.parcel.events",
        outbox
            .newEvent("com.acme.shipping.sent.v1", order)
            .subject(order.orderId())
            .causedBy(delivery.event())
            .build());
  }

  private static void ship(Connection tx, OrderPlaced order) throws SQLException {
    try (PreparedStatement insert = tx.prepareStatement("INSERT INTO parcel (id) VALUES (?)")) {
      insert.setString(1, order.orderId());
      insert.executeUpdate();
    }
  }
}
