package dev.onceward.examples.samples;

import dev.onceward.envelope.Event;
import dev.onceward.producer.outbox.DeadRow;
import dev.onceward.producer.outbox.Outbox;
import dev.onceward.producer.outbox.OutboxAdmin;
import dev.onceward.producer.outbox.OutboxRelay;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;

/** Pieces of code that the guide of the outbox shows. */
final class OutboxSamples {

  private OutboxSamples() {}

  static void pay(Connection connection, Outbox outbox, OrderPlaced order) throws SQLException {
    connection.setAutoCommit(false);
    markPaid(connection, order); // updates the order's row, and so locks it
    outbox.append(
        connection,
        "orders.order.events",
        outbox.newEvent("com.acme.orders.paid.v1", order).subject(order.orderId()).build());
    connection.commit();
  }

  static Outbox once(OutboxRelay relay) {
    Outbox outbox =
        Outbox.builder()
            .source(URI.create("/acme/orders"))
            .relay(relay) // only where it runs in the same process; sends sooner
            .build();
    return outbox;
  }

  static void serialized(Connection connection, Outbox outbox, Event event) throws SQLException {
    outbox.appendSerialized(connection, "orders.order.events", event);
  }

  static void relay(Map<String, Object> kafkaProperties, DataSource dataSource)
      throws InterruptedException {
    try (OutboxRelay relay = OutboxRelay.builder(kafkaProperties, dataSource).build()) {
      relay.start();
      untilTheApplicationEnds();
    }
  }

  static void releaseAll(DataSource dataSource) {
    OutboxAdmin admin = OutboxAdmin.on(dataSource);
    for (DeadRow row : admin.deadRows(100)) {
      System.out.println(row.topic() + " " + row.eventId() + ": " + row.detail());
      admin.release(row.seq()); // tries again; discard(seq) gives it up, and lets the key go on
    }
  }

  static Outbox captured() {
    Outbox outbox = Outbox.builder().changeDataCapture().build();
    return outbox;
  }

  private static void markPaid(Connection connection, OrderPlaced order) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE orders SET paid = true WHERE id = ?")) {
      update.setString(1, order.orderId());
      update.executeUpdate();
    }
  }

  private static void untilTheApplicationEnds() throws InterruptedException {
    Thread.currentThread().join();
  }
}
