package dev.onceward.tracing;

import static dev.onceward.tracing.Records.ORIGIN;
import static dev.onceward.tracing.Records.SPAN;
import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.TRACE;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static dev.onceward.tracing.Records.outgoing;
import static dev.onceward.tracing.Records.value;
import static dev.onceward.tracing.Records.values;
import static io.opentelemetry.api.common.AttributeKey.booleanKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class SendSpanTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  private final EventTracing tracing =
      EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).build();

  @Test
  void aSendIsAProducerSpanWithTheConventionsAttributes() {
    ProducerRecord<byte[], byte[]> record =
        outgoing("ce_id", "e-1", "ce_correlationid", "c-1", "event-id", "e-1");

    tracing.startSend(record).sent(2, 77);

    SpanData span = onlySpan();
    assertThat(span.getName()).isEqualTo("send " + TOPIC);
    assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(span.getAttributes().asMap())
        .containsEntry(stringKey("messaging.system.name"), "kafka")
        .containsEntry(stringKey("messaging.operation.name"), "send")
        .containsEntry(stringKey("messaging.operation.type"), "send")
        .containsEntry(stringKey("messaging.destination.name"), TOPIC)
        .containsEntry(stringKey("messaging.destination.partition.id"), "2")
        .containsEntry(longKey("kafka.offset"), 77L)
        .containsEntry(stringKey("messaging.message.id"), "e-1")
        .containsEntry(stringKey("messaging.message.conversation_id"), "c-1")
        .doesNotContainKeys(
            stringKey("error.type"),
            stringKey("kafka.message.key"),
            booleanKey("kafka.message.tombstone"));
  }

  @Test
  void theRecordCarriesTheContextOfTheSpan() {
    ProducerRecord<byte[], byte[]> record = outgoing();

    EventTracing.SendSpan send = tracing.startSend(record);
    send.sent(0, 0);

    SpanData span = onlySpan();
    assertThat(values(record.headers(), "traceparent"))
        .containsExactly(send.traceparent())
        .containsExactly(
            "00-"
                + span.getTraceId()
                + "-"
                + span.getSpanId()
                + "-"
                + span.getSpanContext().getTraceFlags().asHex());
    assertThat(values(record.headers(), "tracestate")).isEmpty();
    assertThat(values(record.headers(), "baggage")).isEmpty();
  }

  @Test
  void theCurrentSpanIsTheParentAndItsBaggageGoesAlong() {
    ProducerRecord<byte[], byte[]> record = outgoing();
    Span parent = otel.getOpenTelemetry().getTracer("test").spanBuilder("request").startSpan();

    try (Scope ignored = parent.makeCurrent();
        Scope alsoIgnored = Baggage.builder().put("tenant", "acme").build().makeCurrent()) {
      tracing.startSend(record).sent(0, 0);
    }

    assertThat(onlySpan().getParentSpanId()).isEqualTo(parent.getSpanContext().getSpanId());
    assertThat(values(record.headers(), "baggage")).containsExactly("tenant=acme");
  }

  @Test
  void whatAnEarlierHopLeftIsReplacedOrRemoved() {
    ProducerRecord<byte[], byte[]> record =
        outgoing(
            "traceparent",
            TRACEPARENT,
            "tracestate",
            "vendor=old",
            "baggage",
            "who=stale",
            "other",
            "kept");
    Span parent = otel.getOpenTelemetry().getTracer("test").spanBuilder("request").startSpan();

    try (Scope ignored = parent.makeCurrent()) {
      tracing.startSend(record).sent(0, 0);
    }

    assertThat(values(record.headers(), "traceparent"))
        .singleElement()
        .asString()
        .contains(parent.getSpanContext().getTraceId());
    assertThat(values(record.headers(), "tracestate")).isEmpty();
    assertThat(values(record.headers(), "baggage")).isEmpty();
    assertThat(values(record.headers(), "other")).containsExactly("kept");
    assertThat(onlySpan().getLinks())
        .singleElement()
        .satisfies(link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(SPAN));
  }

  @Test
  void aForwardedRecordGoesOnInItsTraceWhenNoSpanIsCurrent() {
    ProducerRecord<byte[], byte[]> record =
        outgoing("traceparent", TRACEPARENT, "tracestate", "vendor=x", "baggage", "tenant=acme");

    tracing.startSend(record).sent(0, 0);

    SpanData span = onlySpan();
    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getParentSpanId()).isEqualTo(SPAN);
    assertThat(span.getLinks()).isEmpty();
    assertThat(values(record.headers(), "traceparent"))
        .containsExactly("00-" + TRACE + "-" + span.getSpanId() + "-01");
    assertThat(values(record.headers(), "tracestate")).containsExactly("vendor=x");
    assertThat(values(record.headers(), "baggage")).containsExactly("tenant=acme");
  }

  @Test
  void staleStateWithoutAValidTraceparentIsRemoved() {
    ProducerRecord<byte[], byte[]> record =
        outgoing("traceparent", "garbage", "tracestate", "vendor=old", "baggage", "who=stale");

    tracing.startSend(record).sent(0, 0);

    assertThat(values(record.headers(), "traceparent")).hasSize(1).doesNotContain("garbage");
    assertThat(values(record.headers(), "tracestate")).isEmpty();
    assertThat(values(record.headers(), "baggage")).isEmpty();
  }

  @Test
  void afterTwentyHopsThereIsStillOneOfEachAndTheOriginIsTheFirst() {
    ProducerRecord<byte[], byte[]> record =
        outgoing("ce_specversion", "1.0", "ce_id", "e-1", "baggage", "tenant=acme");
    String first = tracing.startSend(record).traceparent();

    for (int hop = 0; hop < 20; hop++) {
      EventTracing.ProcessSpan process =
          tracing.startProcess(Records.incoming(record.headers()), "relay", 1);
      record =
          new ProducerRecord<>(
              TOPIC, null, record.key(), record.value(), new RecordHeaders(record.headers()));
      try (Scope ignored = process.makeCurrent()) {
        tracing.startSend(record).sent(0, hop);
      }
      process.ended("applied");
    }

    assertThat(values(record.headers(), "traceparent")).hasSize(1).doesNotContain(first);
    assertThat(values(record.headers(), "tracestate")).isEmpty();
    assertThat(values(record.headers(), "baggage")).hasSizeLessThanOrEqualTo(1);
    assertThat(values(record.headers(), "ce_traceparent")).containsExactly(first);
  }

  @Test
  void theOriginOfANewEventIsItsFirstSend() {
    ProducerRecord<byte[], byte[]> record = outgoing("ce_id", "e-1");

    EventTracing.SendSpan send = tracing.startSend(record);

    assertThat(values(record.headers(), "ce_traceparent"))
        .containsExactly(send.traceparent())
        .containsExactly(send.originTraceparent());
  }

  @Test
  void anOriginIsNeverRewrittenEvenWhenItIsNotValid() {
    ProducerRecord<byte[], byte[]> known = outgoing("ce_id", "e-1", "ce_traceparent", ORIGIN);
    ProducerRecord<byte[], byte[]> foreign = outgoing("ce_id", "e-1", "ce_traceparent", "???");

    assertThat(tracing.startSend(known).originTraceparent()).isEqualTo(ORIGIN);
    tracing.startSend(foreign);

    assertThat(values(known.headers(), "ce_traceparent")).containsExactly(ORIGIN);
    assertThat(values(foreign.headers(), "ce_traceparent")).containsExactly("???");
  }

  @Test
  void theOriginOfAForwardedEventWithoutOneIsWhereItCameFrom() {
    ProducerRecord<byte[], byte[]> record = outgoing("ce_id", "e-1", "traceparent", TRACEPARENT);

    tracing.startSend(record);

    assertThat(value(record.headers(), "ce_traceparent")).isEqualTo(TRACEPARENT);
  }

  @Test
  void aRecordThatIsNoBinaryModeEventGetsNoCloudEventsHeader() {
    ProducerRecord<byte[], byte[]> record =
        outgoing("content-type", "application/cloudevents+json");

    EventTracing.SendSpan send = tracing.startSend(record);

    assertThat(values(record.headers(), "ce_traceparent")).isEmpty();
    assertThat(send.originTraceparent()).isEqualTo(send.traceparent());
  }

  @Test
  void aFailureIsRecordedWithTheErrorThatCausedIt() {
    tracing
        .startSend(outgoing())
        .failed(new CompletionException(new RecordTooLargeException("too large")));

    SpanData span = onlySpan();
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(span.getAttributes().get(stringKey("error.type")))
        .isEqualTo(RecordTooLargeException.class.getName());
    assertThat(span.getEvents())
        .singleElement()
        .satisfies(event -> assertThat(event.getName()).isEqualTo("exception"));
  }

  @Test
  void onlyTheFirstEndCounts() {
    EventTracing.SendSpan send = tracing.startSend(outgoing());

    send.sent(1, 5);
    send.failed(new IllegalStateException("late"));
    send.sent(2, 6);

    SpanData span = onlySpan();
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(span.getAttributes().get(longKey("kafka.offset"))).isEqualTo(5L);
  }

  @Test
  void aTombstoneIsMarked() {
    tracing.startSend(new ProducerRecord<>(TOPIC, new byte[] {1}, null)).sent(0, 0);

    assertThat(onlySpan().getAttributes().get(booleanKey("kafka.message.tombstone"))).isTrue();
  }

  @Test
  void theKeyIsRecordedOnlyOnRequestAndOnlyAsText() {
    EventTracing withKey =
        EventTracing.builder()
            .openTelemetry(otel.getOpenTelemetry())
            .recordMessageKey(true)
            .build();

    withKey.startSend(outgoing()).sent(0, 0);
    withKey
        .startSend(new ProducerRecord<>(TOPIC, new byte[] {(byte) 0xff}, new byte[0]))
        .sent(0, 0);

    assertThat(otel.getSpans())
        .extracting(span -> span.getAttributes().get(stringKey("kafka.message.key")))
        .containsExactly("order-1", null);
  }

  @Test
  void aRecordThatWasSentBeforeIsRefusedWithTheFix() {
    ProducerRecord<byte[], byte[]> record = outgoing();
    ((RecordHeaders) record.headers()).setReadOnly();

    assertThatThrownBy(() -> tracing.startSend(record))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(TOPIC)
        .hasMessageContaining("send a copy");
    assertThat(otel.getSpans()).hasSize(1);
  }

  private static SpanData onlySpan() {
    assertThat(otel.getSpans()).hasSize(1);
    return otel.getSpans().get(0);
  }
}
