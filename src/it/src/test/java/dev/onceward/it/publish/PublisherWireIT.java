package dev.onceward.it.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.producer.ContentMode;
import dev.onceward.producer.EventPublisher;
import dev.onceward.producer.EventPublisherBuilder;
import dev.onceward.producer.Published;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.RecordCollector;
import dev.onceward.testkit.TestTopics;
import dev.onceward.tracing.EventTracing;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.kafka.CloudEventDeserializer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the publisher puts on the wire, as a broker gives it back. */
@OncewardTest
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PublisherWireIT {

  private static final String TYPE = "com.acme.orders.placed.v1";
  private static final URI SOURCE = URI.create("/acme/orders");
  private static final String TRACEPARENT = "00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]";
  private static final OffsetDateTime OCCURRED = OffsetDateTime.parse("2026-03-01T10:00:00.5Z");
  private static final OffsetDateTime EXPIRES = OffsetDateTime.parse("2036-03-01T10:00:00Z");

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  record OrderPlaced(String orderId, long amountCents, String note) {}

  @Test
  void theHeadersAreThoseOfTheDesignOnceEach(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 3);
    Event event;
    Published published;
    String traceId;
    try (EventPublisher publisher = builder(kafka).build()) {
      event = full(publisher);
      Span span = otel.getOpenTelemetry().getTracer("test").spanBuilder("checkout").startSpan();
      traceId = span.getSpanContext().getTraceId();
      try (Scope scope = span.makeCurrent()) {
        published = publisher.publish(topic, event).toCompletableFuture().join();
      } finally {
        span.end();
      }
    }

    ConsumerRecord<byte[], byte[]> record = only(kafka, topic);
    assertThat(published).isEqualTo(new Published(topic, record.partition(), 0, event.getId()));
    assertThat(new String(record.key(), UTF_8)).isEqualTo("order-17");
    assertThat(new String(record.value(), UTF_8))
        .isEqualTo("{\"orderId\":\"order-17\",\"amountCents\":500,\"note\":\"\u00e9\u20ac\"}");
    Map<String, String> headers = headers(record);
    assertThat(headers)
        .containsOnlyKeys(
            "ce_specversion",
            "ce_id",
            "ce_type",
            "ce_source",
            "ce_subject",
            "ce_time",
            "content-type",
            "event-id",
            "traceparent",
            "ce_traceparent",
            "ce_partitionkey",
            "ce_entityversion",
            "ce_occurredat",
            "ce_expirytime",
            "ce_correlationid",
            "ce_causationid",
            "ce_tenant",
            "shop")
        .containsEntry("ce_specversion", "1.0")
        .containsEntry("ce_id", event.getId())
        .containsEntry("event-id", event.getId())
        .containsEntry("ce_type", TYPE)
        .containsEntry("ce_source", "/acme/orders")
        .containsEntry("ce_subject", "order-17")
        .containsEntry("ce_partitionkey", "order-17")
        .containsEntry("content-type", "application/json")
        .containsEntry("ce_entityversion", "3")
        .containsEntry("ce_correlationid", "talk-1")
        .containsEntry("ce_causationid", "cause-1")
        .containsEntry("ce_tenant", "acme")
        .containsEntry("shop", "north");
    assertThat(OffsetDateTime.parse(headers.get("ce_occurredat"))).isEqualTo(OCCURRED);
    assertThat(OffsetDateTime.parse(headers.get("ce_expirytime"))).isEqualTo(EXPIRES);
    assertThat(OffsetDateTime.parse(headers.get("ce_time"))).isEqualTo(event.getTime());
    assertThat(headers.get("traceparent")).matches(TRACEPARENT).contains(traceId);
    assertThat(headers.get("ce_traceparent")).matches(TRACEPARENT).contains(traceId);
  }

  @Test
  void theTraceparentIsThatOfTheSendSpan(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    try (EventPublisher publisher = builder(kafka).build()) {
      publisher.publish(topic, full(publisher)).toCompletableFuture().join();
    }

    assertThat(otel.getSpans())
        .filteredOn(span -> span.getName().contains(topic))
        .singleElement()
        .satisfies(
            span ->
                assertThat(headers(only(kafka, topic)).get("traceparent"))
                    .startsWith("00-" + span.getTraceId() + "-" + span.getSpanId() + "-"));
  }

  @Test
  void withoutAnyTracingThereIsStillAValidContext(KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    try (EventPublisher publisher =
        EventPublisher.builder(kafka.clientProperties()).source(SOURCE).build()) {
      publisher.publish(topic, full(publisher)).toCompletableFuture().join();
    }

    Map<String, String> headers = headers(only(kafka, topic));
    assertThat(headers.get("traceparent")).matches(TRACEPARENT).doesNotContain("0".repeat(16));
    assertThat(headers.get("ce_traceparent")).matches(TRACEPARENT);
  }

  @Test
  void theOriginStaysWhenAnEventIsPublishedAgain(KafkaServer kafka, TestTopics topics) {
    String first = topics.create("first", 1);
    String second = topics.create("second", 1);
    try (EventPublisher publisher = builder(kafka).build()) {
      publisher.publish(first, full(publisher)).toCompletableFuture().join();
      Event read = EventReader.standard().read(only(kafka, first));
      publisher.publish(second, read).toCompletableFuture().join();
    }

    Map<String, String> before = headers(only(kafka, first));
    Map<String, String> after = headers(only(kafka, second));
    assertThat(after.get("ce_traceparent")).isEqualTo(before.get("ce_traceparent"));
    assertThat(after.get("traceparent")).isNotEqualTo(before.get("traceparent"));
    before.remove("traceparent");
    after.remove("traceparent");
    assertThat(after).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(ContentMode.class)
  void theCloudEventsSdkReadsTheSameEvent(ContentMode mode, KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    Event event;
    try (EventPublisher publisher = builder(kafka).mode(mode).build()) {
      event = full(publisher);
      publisher.publish(topic, event).toCompletableFuture().join();
    }

    ConsumerRecord<byte[], byte[]> record = only(kafka, topic);
    CloudEvent read;
    try (CloudEventDeserializer independent = new CloudEventDeserializer()) {
      read = independent.deserialize(topic, record.headers(), record.value());
    }
    assertThat(read.getId()).isEqualTo(event.getId());
    assertThat(read.getType()).isEqualTo(TYPE);
    assertThat(read.getSource()).isEqualTo(SOURCE);
    assertThat(read.getSubject()).isEqualTo("order-17");
    assertThat(read.getTime()).isEqualTo(event.getTime());
    assertThat(read.getDataContentType()).isEqualTo("application/json");
    CloudEventData data = Objects.requireNonNull(read.getData());
    assertThat(new String(data.toBytes(), UTF_8))
        .isEqualTo("{\"orderId\":\"order-17\",\"amountCents\":500,\"note\":\"\u00e9\u20ac\"}");
    assertThat(String.valueOf(read.getExtension("partitionkey"))).isEqualTo("order-17");
    assertThat(String.valueOf(read.getExtension("entityversion"))).isEqualTo("3");
    assertThat(String.valueOf(read.getExtension("tenant"))).isEqualTo("acme");
    assertThat(String.valueOf(read.getExtension("correlationid"))).isEqualTo("talk-1");
    assertThat(String.valueOf(read.getExtension("traceparent"))).matches(TRACEPARENT);
    assertThat(EventReader.standard().read(record).getId()).isEqualTo(event.getId());
    assertThat(new String(record.key(), UTF_8)).isEqualTo("order-17");
    assertThat(headers(record)).containsEntry("event-id", event.getId());
    assertThat(headers(record).get("traceparent")).matches(TRACEPARENT);
  }

  @ParameterizedTest
  @EnumSource(ContentMode.class)
  void anEventWithoutDataIsNoTombstoneToTheSdk(
      ContentMode mode, KafkaServer kafka, TestTopics topics) {
    String topic = topics.create("orders", 1);
    try (EventPublisher publisher = builder(kafka).mode(mode).build()) {
      Event event = publisher.newEvent(TYPE).subject("order-17").noData().build();
      publisher.publish(topic, event).toCompletableFuture().join();
    }

    ConsumerRecord<byte[], byte[]> record = only(kafka, topic);
    try (CloudEventDeserializer independent = new CloudEventDeserializer()) {
      CloudEvent read = independent.deserialize(topic, record.headers(), record.value());
      assertThat(read.getType()).isEqualTo(TYPE);
      CloudEventData data = read.getData();
      assertThat(data == null ? new byte[0] : data.toBytes()).isEmpty();
    }
  }

  private static EventPublisherBuilder builder(KafkaServer kafka) {
    return EventPublisher.builder(kafka.clientProperties())
        .source(SOURCE)
        .tracing(EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).build());
  }

  private static Event full(EventPublisher publisher) {
    return publisher
        .newEvent(TYPE, new OrderPlaced("order-17", 500, "\u00e9\u20ac"))
        .subject("order-17")
        .entityVersion(3)
        .occurredAt(OCCURRED)
        .expiryTime(EXPIRES)
        .correlationId("talk-1")
        .causationId("cause-1")
        .extension("tenant", "acme")
        .header("shop", "north".getBytes(UTF_8))
        .build();
  }

  private static ConsumerRecord<byte[], byte[]> only(KafkaServer kafka, String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = RecordCollector.on(kafka).awaitCount(topic, 1);
    assertThat(records).hasSize(1);
    return records.get(0);
  }

  /** As text; a header that is there twice fails. */
  private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      String before = headers.put(header.key(), new String(header.value(), UTF_8));
      assertThat(before).as("header %s is there twice", header.key()).isNull();
    }
    return headers;
  }
}
