package dev.onceward.tracing;

import static dev.onceward.tracing.Records.ORIGIN;
import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.EventWriter;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

/** What a delivery shows once its event is decoded. */
@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class DecodedEventTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  private final EventTracing tracing =
      EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).build();

  @AfterEach
  void clear() {
    MDC.clear();
  }

  @Test
  void theSpanCarriesTheCloudEventsAttributes() {
    ConsumerRecord<byte[], byte[]> record = delivered(EventWriter.binary(), event().build());

    deliver(record);

    assertThat(onlySpan().getAttributes().asMap())
        .containsEntry(stringKey("cloudevents.event_id"), "e-1")
        .containsEntry(stringKey("cloudevents.event_source"), "/orders")
        .containsEntry(stringKey("cloudevents.event_type"), "com.acme.orders.placed.v1")
        .containsEntry(stringKey("cloudevents.event_subject"), "o-1")
        .containsEntry(stringKey("cloudevents.event_spec_version"), "1.0")
        .containsEntry(stringKey("messaging.message.id"), "e-1")
        .containsEntry(stringKey("messaging.message.conversation_id"), "c-1")
        .containsEntry(stringKey("onceward.handler"), "billing-ledger");
  }

  @Test
  void theOriginInsideAStructuredEventIsLinkedAsWell() {
    ConsumerRecord<byte[], byte[]> record =
        delivered(
            EventWriter.structured(),
            event().originTraceparent(ORIGIN).header("traceparent", TRACEPARENT).build());

    deliver(record);

    assertThat(onlySpan().getLinks())
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactly("00f067aa0ba902b7", "b7ad6b7169203331");
  }

  @Test
  void theOriginOfABinaryEventIsLinkedOnce() {
    ConsumerRecord<byte[], byte[]> record =
        delivered(
            EventWriter.binary(),
            event().originTraceparent(ORIGIN).header("traceparent", TRACEPARENT).build());

    deliver(record);

    assertThat(onlySpan().getLinks()).hasSize(2);
  }

  @Test
  void theLogContextIsCompleteWhenTheEventIsKnownBeforehand() {
    ConsumerRecord<byte[], byte[]> record = delivered(EventWriter.binary(), event().build());
    EventTracing.ProcessSpan process = tracing.startProcess(record, "billing", 1);
    process.event(EventReader.standard().read(record), "billing-ledger");

    assertThat(MDC.get("eventId")).isNull();
    try (Scope ignored = process.makeCurrent()) {
      assertThat(MDC.get("eventId")).isEqualTo("e-1");
      assertThat(MDC.get("handler")).isEqualTo("billing-ledger");
    }
    assertThat(MDC.get("eventId")).isNull();
    process.ended("applied");
  }

  @Test
  void theLogContextIsCompletedWhenTheEventIsDecodedInsideTheScope() {
    MDC.put("handler", "outer");
    ConsumerRecord<byte[], byte[]> record = delivered(EventWriter.binary(), event().build());
    EventTracing.ProcessSpan process = tracing.startProcess(record, "billing", 1);

    try (Scope ignored = process.makeCurrent()) {
      assertThat(MDC.get("handler")).isNull();
      process.event(EventReader.standard().read(record), "billing-ledger");
      assertThat(MDC.get("eventId")).isEqualTo("e-1");
      assertThat(MDC.get("handler")).isEqualTo("billing-ledger");
    }
    assertThat(MDC.get("eventId")).isNull();
    assertThat(MDC.get("handler")).isEqualTo("outer");
    process.ended("applied");
  }

  private void deliver(ConsumerRecord<byte[], byte[]> record) {
    EventTracing.ProcessSpan process = tracing.startProcess(record, "billing", 1);
    process.event(EventReader.standard().read(record), "billing-ledger");
    process.ended("applied");
  }

  private static Event.Builder event() {
    return Event.builder()
        .id("e-1")
        .source("/orders")
        .type("com.acme.orders.placed.v1")
        .subject("o-1")
        .correlationId("c-1")
        .data("{}".getBytes(UTF_8), "application/json");
  }

  private static ConsumerRecord<byte[], byte[]> delivered(EventWriter writer, Event event) {
    ProducerRecord<byte[], byte[]> record = writer.write(TOPIC, event);
    return Records.incoming(record.headers(), record.value());
  }

  private static SpanData onlySpan() {
    assertThat(otel.getSpans()).hasSize(1);
    return otel.getSpans().get(0);
  }
}
