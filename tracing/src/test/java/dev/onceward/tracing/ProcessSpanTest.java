package dev.onceward.tracing;

import static dev.onceward.tracing.Records.ORIGIN;
import static dev.onceward.tracing.Records.SPAN;
import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.TRACE;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static dev.onceward.tracing.Records.incoming;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class ProcessSpanTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  @Test
  void aDeliveryIsAConsumerSpanWithTheConventionsAttributes() {
    tracing(ProcessRelation.LINK)
        .startProcess(incoming("ce_id", "e-1", "ce_correlationid", "c-1"), "billing", 2)
        .ended("applied");

    SpanData span = onlySpan();
    assertThat(span.getName()).isEqualTo("process " + TOPIC);
    assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(span.getAttributes().asMap())
        .containsEntry(stringKey("messaging.system.name"), "kafka")
        .containsEntry(stringKey("messaging.operation.name"), "process")
        .containsEntry(stringKey("messaging.operation.type"), "process")
        .containsEntry(stringKey("messaging.destination.name"), TOPIC)
        .containsEntry(stringKey("messaging.destination.partition.id"), "3")
        .containsEntry(stringKey("messaging.consumer.group.name"), "billing")
        .containsEntry(longKey("kafka.offset"), 42L)
        .containsEntry(stringKey("messaging.message.id"), "e-1")
        .containsEntry(stringKey("messaging.message.conversation_id"), "c-1")
        .containsEntry(longKey("onceward.attempt"), 2L)
        .containsEntry(stringKey("onceward.outcome"), "applied")
        .doesNotContainKey(stringKey("kafka.message.key"));
  }

  @Test
  void severalDeliveriesOfOneCallAreOneSpanLinkedToTheSenderOfEach() {
    EventTracing.ProcessSpan batch =
        tracing(ProcessRelation.LINK)
            .startProcessBatch(
                List.of(incoming("traceparent", TRACEPARENT), incoming("ce_id", "e-2")),
                "billing",
                "lists");
    try (Scope scope = batch.makeCurrent()) {
      assertThat(org.slf4j.MDC.get(LogKeys.HANDLER)).isEqualTo("lists");
      assertThat(org.slf4j.MDC.get(LogKeys.EVENT_ID)).isNull();
    }
    batch.ended("applied");

    SpanData span = onlySpan();
    assertThat(span.getName()).isEqualTo("process " + TOPIC);
    assertThat(span.getLinks()).hasSize(1);
    assertThat(span.getLinks().get(0).getSpanContext().getTraceId()).isEqualTo(TRACE);
    assertThat(span.getAttributes().asMap())
        .containsEntry(longKey("messaging.batch.message_count"), 2L)
        .containsEntry(stringKey("onceward.handler"), "lists");
  }

  @Test
  void byDefaultItIsATraceOfItsOwnLinkedToItsSender() {
    deliver(ProcessRelation.LINK, "traceparent", TRACEPARENT);

    SpanData span = onlySpan();
    assertThat(span.getTraceId()).isNotEqualTo(TRACE);
    assertThat(span.getParentSpanContext().isValid()).isFalse();
    assertThat(linkedSpans(span)).containsExactly(SPAN);
  }

  @Test
  void itLinksTheOriginTooWhenThatIsAnother() {
    deliver(ProcessRelation.LINK, "traceparent", TRACEPARENT, "ce_traceparent", ORIGIN);

    assertThat(linkedSpans(onlySpan())).containsExactly(SPAN, "b7ad6b7169203331");
  }

  @Test
  void itLinksOnceWhenSenderAndOriginAreTheSame() {
    deliver(ProcessRelation.LINK, "traceparent", TRACEPARENT, "ce_traceparent", TRACEPARENT);

    assertThat(linkedSpans(onlySpan())).containsExactly(SPAN);
  }

  @Test
  void asAChildItIsInTheTraceOfItsSender() {
    deliver(ProcessRelation.PARENT, "traceparent", TRACEPARENT, "ce_traceparent", ORIGIN);

    SpanData span = onlySpan();
    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getParentSpanId()).isEqualTo(SPAN);
    assertThat(linkedSpans(span)).containsExactly("b7ad6b7169203331");
  }

  @Test
  void asALinkedChildItHasBoth() {
    deliver(ProcessRelation.PARENT_AND_LINK, "traceparent", TRACEPARENT);

    SpanData span = onlySpan();
    assertThat(span.getParentSpanId()).isEqualTo(SPAN);
    assertThat(linkedSpans(span)).containsExactly(SPAN);
  }

  @Test
  void asAChildOfItsSenderItLinksTheSpanThatIsCurrent() {
    Span ambient = otel.getOpenTelemetry().getTracer("test").spanBuilder("poll").startSpan();

    try (Scope ignored = ambient.makeCurrent()) {
      deliver(ProcessRelation.PARENT, "traceparent", TRACEPARENT);
    }

    SpanData span = onlySpan();
    assertThat(span.getParentSpanId()).isEqualTo(SPAN);
    assertThat(linkedSpans(span)).containsExactly(ambient.getSpanContext().getSpanId());
  }

  @Test
  void theBaggageOfTheMessageIsCurrentInTheHandler() {
    EventTracing.ProcessSpan process =
        tracing(ProcessRelation.LINK)
            .startProcess(incoming("baggage", "tenant=acme,region=eu"), "billing", 1);

    try (Scope ignored = process.makeCurrent()) {
      assertThat(Baggage.current().getEntryValue("tenant")).isEqualTo("acme");
      assertThat(Baggage.current().getEntryValue("region")).isEqualTo("eu");
    }
    assertThat(Baggage.current().isEmpty()).isTrue();
    process.ended("applied");
  }

  @Test
  void aFailureIsRecordedWithTheHandlersException() {
    EventTracing.ProcessSpan process =
        tracing(ProcessRelation.LINK).startProcess(incoming(), "billing", 1);

    process.failed(new CompletionException(new IOException("no route")));

    SpanData span = onlySpan();
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(span.getAttributes().get(stringKey("error.type"))).isEqualTo("java.io.IOException");
    assertThat(span.getEvents()).extracting(EventData::getName).containsExactly("exception");
    assertThat(span.getAttributes().get(stringKey("onceward.outcome"))).isNull();
  }

  @Test
  void onlyTheFirstEndCounts() {
    EventTracing.ProcessSpan process =
        tracing(ProcessRelation.LINK).startProcess(incoming(), "billing", 1);

    process.ended("duplicate");
    process.failed(new IllegalStateException("late"));
    process.ended("applied");

    SpanData span = onlySpan();
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(span.getAttributes().get(stringKey("onceward.outcome"))).isEqualTo("duplicate");
  }

  @Test
  void itMayEndOnAnotherThreadThanItWasCurrentOn() {
    EventTracing.ProcessSpan process =
        tracing(ProcessRelation.LINK).startProcess(incoming(), "billing", 1);
    Scope scope = process.makeCurrent();

    CompletableFuture.runAsync(() -> process.ended("applied")).join();
    scope.close();

    assertThat(onlySpan().hasEnded()).isTrue();
    assertThat(Span.current().getSpanContext().isValid()).isFalse();
  }

  @Test
  void spansOfTheHandlerAreItsChildren() {
    EventTracing.ProcessSpan process =
        tracing(ProcessRelation.LINK).startProcess(incoming(), "billing", 1);

    try (Scope ignored = process.makeCurrent()) {
      otel.getOpenTelemetry().getTracer("test").spanBuilder("insert").startSpan().end();
    }
    process.ended("applied");

    assertThat(otel.getSpans()).hasSize(2);
    SpanData child = otel.getSpans().get(0);
    assertThat(process.traceparent()).contains(child.getTraceId(), child.getParentSpanId());
  }

  private static EventTracing tracing(ProcessRelation relation) {
    return EventTracing.builder()
        .openTelemetry(otel.getOpenTelemetry())
        .processRelation(relation)
        .build();
  }

  private static void deliver(ProcessRelation relation, String... headers) {
    tracing(relation).startProcess(incoming(headers), "billing", 1).ended("applied");
  }

  private static List<String> linkedSpans(SpanData span) {
    return span.getLinks().stream().map(link -> link.getSpanContext().getSpanId()).toList();
  }

  private static SpanData onlySpan() {
    assertThat(otel.getSpans()).hasSize(1);
    return otel.getSpans().get(0);
  }
}
