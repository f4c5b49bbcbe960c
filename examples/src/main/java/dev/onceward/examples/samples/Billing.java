package dev.onceward.examples.samples;

import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

@EventHandlers(id = "billing", topics = "orders.order.events")
final class Billing {

  @Handles("com.acme.orders.placed.v1")
  @Idempotent // the dedupe row commits with the charge, or neither does
  void placed(OrderPlaced order, Connection tx) throws SQLException {
    try (PreparedStatement insert =
        tx.prepareStatement("INSERT INTO charge (order_id, cents) VALUES (?, ?)")) {
      insert.setString(1, order.orderId());
      insert.setLong(2, order.amountCents());
      insert.executeUpdate();
    }
  }
}
