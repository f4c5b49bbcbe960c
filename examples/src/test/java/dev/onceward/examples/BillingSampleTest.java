package dev.onceward.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.Idempotent;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.testkit.Flaky;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.RawPublisher;
import dev.onceward.testkit.Redelivery;
import dev.onceward.testkit.TestDatabase;
import dev.onceward.testkit.TestTopics;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

@OncewardTest
class BillingSampleTest {

  record OrderPlaced(String orderId, long amountCents) {}

  @EventHandlers(id = "billing", topics = "orders.order.events")
  record Billing(Flaky<String> bank) {

    @Handles("com.acme.orders.placed.v1")
    @Idempotent
    void placed(OrderPlaced order, Connection tx) throws Exception {
      bank.run(order.orderId(), () -> charge(order, tx));
    }

    private static void charge(OrderPlaced order, Connection tx) throws SQLException {
      try (PreparedStatement insert = tx.prepareStatement("INSERT INTO charge VALUES (?, ?)")) {
        insert.setString(1, order.orderId());
        insert.setLong(2, order.amountCents());
        insert.executeUpdate();
      }
    }
  }

  @Test
  void anOrderDeliveredThreeTimesIsChargedOnce(
      KafkaServer kafka, TestDatabase database, TestTopics topics) throws Exception {
    kafka.createTopic("orders.order.events", 4);
    JdbcInbox inbox = JdbcInbox.on(database.dataSource());
    inbox.createSchema();
    createCharges(database);
    Event event =
        Event.builder()
            .source("/acme/orders")
            .type("com.acme.orders.placed.v1")
            .subject("order-1")
            .data(new OrderPlaced("order-1", 990), JacksonPayloadMapper.standard())
            .build();
    Flaky<String> bank = Flaky.times(2, () -> new TimeoutException("the bank is busy"));

    try (EventConsumer consumer =
            EventConsumer.builder(kafka.clientProperties())
                .group(topics.group("billing"))
                .handlers(new Billing(bank))
                .inbox(inbox)
                .build();
        RawPublisher publisher = RawPublisher.on(kafka)) {
      consumer.start();
      Redelivery.times(3).publish(publisher, "orders.order.events", event);

      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(consumer.counts().done()).isEqualTo(3));
      assertThat(consumer.counts().duplicates()).isEqualTo(2);
      assertThat(charged(database)).isEqualTo(990);
      assertThat(bank.calls("order-1")).isEqualTo(3); // two failures and the charge
    }
  }

  private static void createCharges(TestDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE charge (order_id text, cents bigint)");
    }
  }

  private static long charged(TestDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet sum = statement.executeQuery("SELECT sum(cents) FROM charge")) {
      return sum.next() ? sum.getLong(1) : 0;
    }
  }
}
