package dev.onceward.examples.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.producer.EventPublisher;
import dev.onceward.tracing.EventTracing;
import dev.onceward.tracing.ProcessRelation;
import dev.onceward.tracing.SemconvDialect;
import io.opentelemetry.api.OpenTelemetry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

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
                  .build())
          .whenComplete(
              (published, failure) -> {
                if (failure == null) {
                  System.out.println("at offset " + published.offset());
                } else {
                  System.err.println(failure.getMessage()); // which event, why, and the fix
                }
              });
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

  static LambdaHandlers ofEnvironment(String environment) {
    Billing billing = new Billing();
    return LambdaHandlers.of("billing", environment + ".orders.order.events")
        .on(
            "com.acme.orders.placed.v1",
            OrderPlaced.class,
            (order, delivery, tx) -> billing.placed(order, tx),
            Guarantee.IDEMPOTENT);
  }

  static void tune(EventConsumer.Builder builder) {
    builder
        .concurrency(64)
        .retryPolicy(
            RetryPolicy.builder()
                .maxAttempts(5)
                .maxDelay(Duration.ofSeconds(10))
                .permanent(Set.of(UnknownOrderException.class))
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

  static void waitLonger(EventConsumer.Builder builder) {
    builder.retryPolicy(
        RetryPolicy.builder().maxAttempts(1_000).maxAge(Duration.ofHours(6)).build());
  }

  static void lease(EventConsumer.Builder builder) {
    builder.lease(
        LeasePolicy.builder()
            .maximum(Duration.ofMinutes(5))
            .onExpiry(LeasePolicy.OnExpiry.DEAD_LETTER)
            .build());
  }

  static void beStrict(EventConsumer.Builder builder) {
    builder.payloadMapper(
        JacksonPayloadMapper.with(
            JsonMapper.builder()
                .addModules(new Jdk8Module(), new JavaTimeModule())
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build()));
  }

  static void trace(EventConsumer.Builder builder, OpenTelemetry openTelemetry) {
    builder.tracing(
        EventTracing.builder()
            .openTelemetry(openTelemetry)
            .semconv(SemconvDialect.V1_24)
            .processRelation(ProcessRelation.PARENT)
            .build());
  }

  static ProducerRecord<byte[], byte[]> replay(
      ConsumerRecord<byte[], byte[]> deadLetter, String originalTopic) {
    List<Header> headers = new ArrayList<>();
    for (Header header : deadLetter.headers()) {
      if (!header.key().startsWith("__dlq.") && !header.key().startsWith("dlq_")) {
        headers.add(header);
      }
    }
    return new ProducerRecord<>(
        originalTopic, null, null, deadLetter.key(), deadLetter.value(), headers);
  }

  static String originalTopic(ConsumerRecord<byte[], byte[]> deadLetter) {
    return new String(deadLetter.headers().lastHeader("__dlq.errors.topic").value(), UTF_8);
  }

  private static void send(OrderPlaced order, String idempotencyKey) {
    System.out.println(order.orderId() + " " + idempotencyKey);
  }

  private static void record(String topic, long nanos) {
    System.out.println(topic + " " + nanos);
  }
}
