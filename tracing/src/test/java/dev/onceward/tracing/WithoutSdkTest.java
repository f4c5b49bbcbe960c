package dev.onceward.tracing;

import static dev.onceward.tracing.Records.SPAN;
import static dev.onceward.tracing.Records.TRACE;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static dev.onceward.tracing.Records.incoming;
import static dev.onceward.tracing.Records.outgoing;
import static dev.onceward.tracing.Records.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** The wire contract and the log context hold where nobody installed an SDK. */
@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class WithoutSdkTest {

  private final EventTracing tracing = EventTracing.global();

  @BeforeEach
  @AfterEach
  void reset() {
    GlobalOpenTelemetry.resetForTest();
  }

  @Test
  void everyRecordCarriesAValidTraceparentOfItsOwn() {
    Set<String> seen = new HashSet<>();

    for (int i = 0; i < 100; i++) {
      ProducerRecord<byte[], byte[]> record = outgoing("ce_id", "e-1");
      EventTracing.SendSpan send = tracing.startSend(record);
      send.sent(0, i);

      assertThat(send.traceparent()).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
      assertThat(values(record.headers(), "traceparent")).containsExactly(send.traceparent());
      assertThat(values(record.headers(), "ce_traceparent")).containsExactly(send.traceparent());
      seen.add(send.traceparent());
    }

    assertThat(seen).hasSize(100);
  }

  @Test
  void anIncomingTraceGoesOnThroughTheHandler() {
    EventTracing.ProcessSpan process =
        tracing.startProcess(
            incoming("traceparent", TRACEPARENT, "tracestate", "v=1", "baggage", "tenant=acme"),
            "billing",
            1);
    ProducerRecord<byte[], byte[]> record = outgoing();

    try (Scope ignored = process.makeCurrent()) {
      assertThat(MDC.get("traceId")).isEqualTo(TRACE);
      tracing.startSend(record).sent(0, 0);
    }
    process.ended("applied");

    // nothing is recorded here, so the sender stays the parent of whoever records next
    assertThat(values(record.headers(), "traceparent")).containsExactly(TRACEPARENT);
    assertThat(values(record.headers(), "tracestate")).containsExactly("v=1");
    assertThat(values(record.headers(), "baggage")).containsExactly("tenant=acme");
  }

  @Test
  void aDeliveryWithoutContextStartsATraceThatItsEventsShare() {
    EventTracing.ProcessSpan process = tracing.startProcess(incoming(), "billing", 1);
    ProducerRecord<byte[], byte[]> one = outgoing();
    ProducerRecord<byte[], byte[]> two = outgoing();

    try (Scope ignored = process.makeCurrent()) {
      tracing.startSend(one).sent(0, 0);
      tracing.startSend(two).sent(0, 1);
    }
    process.ended("applied");

    assertThat(values(one.headers(), "traceparent"))
        .containsExactly(process.traceparent())
        .isEqualTo(values(two.headers(), "traceparent"));
  }

  @Test
  void anSdkRegisteredLaterIsUsedFromThenOn() {
    tracing.startSend(outgoing()).sent(0, 0);
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build())
        .buildAndRegisterGlobal();

    tracing.startProcess(incoming("traceparent", TRACEPARENT), "billing", 1).ended("applied");

    assertThat(exporter.getFinishedSpanItems())
        .singleElement()
        .satisfies(
            span ->
                assertThat(span.getLinks())
                    .singleElement()
                    .satisfies(
                        link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(SPAN)));
  }
}
