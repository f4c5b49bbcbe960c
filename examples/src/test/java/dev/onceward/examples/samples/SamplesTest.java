package dev.onceward.examples.samples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PayloadException;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.RawPublisher;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestDatabase;
import dev.onceward.testkit.TestTopics;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OncewardTest
class SamplesTest {

  private static final String TOPIC = "staging.orders.order.events";
  private static final String STATES = "orders.order.states";
  private static final PayloadMapper MAPPER = JacksonPayloadMapper.standard();

  @Test
  void aReplayedChargeTakesEffectAndAReplayedOldStateIsStale(
      KafkaServer kafka, TestDatabase database) throws Exception {
    kafka.createTopic(TOPIC, 1);
    kafka.createTopic(STATES, 1);
    JdbcInbox inbox = JdbcInbox.on(database.dataSource());
    inbox.createSchema();
    try (RawPublisher publisher = RawPublisher.on(kafka);
        EventConsumer billing = start(kafka, inbox, Samples.ofEnvironment("staging"));
        EventConsumer shipping = start(kafka, inbox, new Shipping())) {
      // the tables are missing still
      publisher.publish(TOPIC, event("placed", 1, new OrderPlaced("order-1", 990)));
      publisher.publish(STATES, event("changed", 1, new OrderState("order-1", "WAITING")));
      eventually(() -> billing.counts().deadLettered() == 1);
      eventually(() -> shipping.counts().deadLettered() == 1);
      execute(
          database,
          "CREATE TABLE charge (order_id text, cents bigint);"
              + "CREATE TABLE shipment (order_id text PRIMARY KEY, state text)");
      publisher.publish(TOPIC, event("placed", 2, new OrderPlaced("order-1", 10)));
      publisher.publish(STATES, event("changed", 2, new OrderState("order-1", "SHIPPED")));
      eventually(() -> billing.counts().applied() == 1);
      eventually(() -> shipping.counts().applied() == 1);

      for (String topic : List.of(TOPIC, STATES)) {
        ConsumerRecord<byte[], byte[]> letter =
            RecordCollector.on(kafka).awaitCount(topic + ".samples-of-" + topic + ".dlq", 1).get(0);
        assertThat(Samples.originalTopic(letter)).isEqualTo(topic);
        publisher.send(Samples.replay(letter, topic));
      }
      eventually(() -> billing.counts().done() == 3);
      eventually(() -> shipping.counts().done() == 3);

      assertThat(billing.counts().applied()).isEqualTo(2);
      assertThat(text(database, "SELECT sum(cents) FROM charge")).isEqualTo("1000");
      assertThat(shipping.counts().stale()).isEqualTo(1);
      assertThat(text(database, "SELECT state FROM shipment")).isEqualTo("SHIPPED");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"orderId\":\"order-1\"}",
        "{\"amountCents\":990}",
        "{\"orderId\":\"order-1\",\"amountCents\":null}"
      })
  void whatIsMissingIsAZeroOrANullUnlessTheMapperIsStrict(
      String data, KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    List<OrderPlaced> lenient = new CopyOnWriteArrayList<>();
    try (RawPublisher publisher = RawPublisher.on(kafka);
        EventConsumer consumer =
            consumer(kafka, topics.group("lenient"), orders(topic, lenient)).build();
        EventConsumer strict = strict(kafka, topics.group("strict"), topic)) {
      consumer.start();
      strict.start();
      publisher.publish(topic, json(data));
      eventually(() -> consumer.counts().done() == 1 && strict.counts().done() == 1);

      assertThat(lenient).hasSize(1);
      assertThat(strict.counts().deadLettered()).isEqualTo(1);
    }
  }

  @Test
  void oneFieldCanBeRequiredWithTheStandardMapper() {
    assertThat(read("{\"orderId\":\"order-1\",\"amountCents\":990}").voucher()).isEmpty();
    List<String> refused = new ArrayList<>();
    for (String data : List.of("{\"orderId\":\"order-1\"}", "{\"amountCents\":990}")) {
      try {
        read(data);
      } catch (PayloadException e) {
        refused.add(data);
      }
    }
    assertThat(refused).hasSize(2);
  }

  private static StrictOrder read(String data) {
    return (StrictOrder) MAPPER.read(json(data), StrictOrder.class);
  }

  private static EventConsumer strict(KafkaServer kafka, String group, String topic) {
    EventConsumer.Builder builder =
        consumer(kafka, group, orders(topic, new CopyOnWriteArrayList<>()));
    Samples.beStrict(builder);
    return builder.build();
  }

  private static LambdaHandlers orders(String topic, List<OrderPlaced> handled) {
    return LambdaHandlers.of("orders", topic)
        .on(
            "com.acme.orders.placed.v1",
            OrderPlaced.class,
            (OrderPlaced order, Delivery delivery) -> handled.add(order));
  }

  private static EventConsumer.Builder consumer(KafkaServer kafka, String group, Object handlers) {
    return EventConsumer.builder(kafka.clientProperties())
        .group(group)
        .handlers(handlers)
        .retryPolicy(RetryPolicy.none());
  }

  private static EventConsumer start(KafkaServer kafka, JdbcInbox inbox, Object handlers) {
    String topic = handlers instanceof Shipping ? STATES : TOPIC;
    EventConsumer consumer = consumer(kafka, "samples-of-" + topic, handlers).inbox(inbox).build();
    consumer.start();
    return consumer;
  }

  private static Event event(String type, long version, Object payload) {
    return Event.builder()
        .source("/acme/orders")
        .type("com.acme.orders." + type + ".v1")
        .subject("order-1")
        .entityVersion(version)
        .data(payload, MAPPER)
        .build();
  }

  private static Event json(String data) {
    return Event.builder()
        .source("/acme/orders")
        .type("com.acme.orders.placed.v1")
        .subject("order-1")
        .data(data.getBytes(UTF_8), "application/json")
        .build();
  }

  private static void eventually(Callable<Boolean> condition) {
    await().atMost(Duration.ofMinutes(1)).until(condition);
  }

  private static void execute(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String text(TestDatabase database, String query) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }
}
