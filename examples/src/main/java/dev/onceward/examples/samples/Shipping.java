package dev.onceward.examples.samples;

import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.VersionGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

@EventHandlers(id = "shipping", topics = "orders.order.states")
final class Shipping {

  @Handles("com.acme.orders.changed.v1")
  @VersionGuard // an older state of an order never overwrites a newer one
  void changed(OrderState order, Connection tx) throws SQLException {
    try (PreparedStatement put =
        tx.prepareStatement(
            "INSERT INTO shipment (order_id, state) VALUES (?, ?)"
                + " ON CONFLICT (order_id) DO UPDATE SET state = EXCLUDED.state")) {
      put.setString(1, order.orderId());
      put.setString(2, order.state());
      put.executeUpdate();
    }
  }
}
