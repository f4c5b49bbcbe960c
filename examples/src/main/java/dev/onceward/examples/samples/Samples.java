package dev.onceward.examples.samples;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.producer.EventPublisher;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** Pieces of code that the docs show. */
final class Samples {

  private Samples() {}

  static void consume(Map<String, Object> kafkaProperties, DataSource dataSource)
      throws InterruptedException {
    try (EventConsumer consumer =
        EventConsumer.builder(kafkaProperties)
            .group("billing")
            .handlers(new Billing())
            .inbox(JdbcInbox.on(dataSource))
            .build()) {
      consumer.start();
      consumer.awaitStop();
    }
  }

  static void publish(Map<String, Object> kafkaProperties, OrderPlaced order) {
    try (EventPublisher publisher =
        EventPublisher.builder(kafkaProperties).source(URI.create("/acme/orders")).build()) {
      publisher
          .publish(
              "orders.order.events",
              publisher
                  .newEvent("com.acme.orders.placed.v1", order)
                  .subject(order.orderId())
                  .entityVersion(1)
                  .build())
          .thenAccept(published -> System.out.println("at offset " + published.offset()));
    }
  }

  static LambdaHandlers lambdas() {
    return LambdaHandlers.of("mailing", "orders.order.events")
        .on(
            "com.acme.orders.placed.v1",
            OrderPlaced.class,
            (order, delivery) -> send(order, delivery.idempotencyKey()))
        .on(
            "com.acme.orders.paid.v1",
            OrderPlaced.class,
            (order, delivery, tx) -> tx.createStatement().execute("UPDATE mailing SET paid = true"),
            Guarantee.IDEMPOTENT);
  }

  static void tune(EventConsumer.Builder builder) {
    builder
        .concurrency(64)
        .retryPolicy(
            RetryPolicy.builder()
                .maxAttempts(5)
                .maxDelay(Duration.ofSeconds(10))
                .permanent(Set.of(SQLException.class))
                .build())
        .drainBudget(Duration.ofSeconds(20))
        .interceptor(
            chain -> {
              long begin = System.nanoTime();
              try {
                return chain.proceed(chain.delivery());
              } finally {
                record(chain.delivery().topic(), System.nanoTime() - begin);
              }
            });
  }

  static void prune(JdbcInbox inbox) {
    inbox.prune(Duration.ofDays(30));
  }

  private static void send(OrderPlaced order, String idempotencyKey) {
    System.out.println(order.orderId() + " " + idempotencyKey);
  }

  private static void record(String topic, long nanos) {
    System.out.println(topic + " " + nanos);
  }
}
