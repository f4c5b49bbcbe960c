package dev.onceward.examples.samples;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.consumer.VersionGapPolicy;
import dev.onceward.consumer.VersionGapPolicy.Then;
import dev.onceward.consumer.VersionGuard;
import dev.onceward.dedupe.JdbcInbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Handlers of lists, of versions one after the other, and tenants. */
final class Effects {

  private Effects() {}

  static void batches(EventConsumer.Builder builder) {
    builder.batches(BatchPolicy.of(200).maxTime(Duration.ofMillis(50)));
  }

  @EventHandlers(id = "sales", topics = "orders.order.events")
  static final class Sales {
    @Handles("com.acme.orders.placed.v1")
    @Idempotent
    void placed(List<OrderPlaced> orders, Connection tx) throws SQLException {
      try (PreparedStatement insert =
          tx.prepareStatement("INSERT INTO sale (order_id, amount) VALUES (?, ?)")) {
        for (OrderPlaced order : orders) {
          insert.setString(1, order.orderId());
          insert.setLong(2, order.amountCents());
          insert.addBatch();
        }
        insert.executeBatch();
      }
    }
  }

  @EventHandlers(id = "stock", topics = "stock.item.events")
  static final class Stock {
    @Handles("com.acme.stock.taken.v1")
    @VersionGuard(VersionGuard.Mode.NEXT)
    void taken(StockTaken taken, Connection tx) throws SQLException {
      try (PreparedStatement update =
          tx.prepareStatement("UPDATE stock SET count = count - ? WHERE item = ?")) {
        update.setLong(1, taken.count());
        update.setString(2, taken.item());
        update.executeUpdate();
      }
    }
  }

  record StockTaken(String item, long count) {}

  static void gaps(EventConsumer.Builder builder) {
    builder.versionGaps(new VersionGapPolicy(Duration.ofMinutes(5), Then.DEAD_LETTER));
  }

  static void tenants(EventConsumer.Builder builder, DataSource dataSource) {
    builder
        .inbox(JdbcInbox.builder(dataSource).boundSettings("app.tenant_id").build())
        .transactionSettings(delivery -> Map.of("app.tenant_id", tenantOf(delivery)));
  }

  private static String tenantOf(Delivery delivery) {
    return String.valueOf(delivery.event().getExtension("tenantid"));
  }
}
