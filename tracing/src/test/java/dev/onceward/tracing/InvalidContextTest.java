package dev.onceward.tracing;

import static dev.onceward.tracing.Records.ORIGIN;
import static dev.onceward.tracing.Records.SPAN;
import static dev.onceward.tracing.Records.TRACE;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static dev.onceward.tracing.Records.headers;
import static dev.onceward.tracing.Records.incoming;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What W3C Trace Context calls invalid starts a new trace, and nothing is thrown. */
@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class InvalidContextTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  /** As a child of its sender, a delivery shows at once whether the context was accepted. */
  private final EventTracing tracing =
      EventTracing.builder()
          .openTelemetry(otel.getOpenTelemetry())
          .processRelation(ProcessRelation.PARENT)
          .build();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "00",
        "00-" + TRACE + "-" + SPAN,
        "00-" + TRACE + "-" + SPAN + "-",
        "00-" + TRACE + "-" + SPAN + "-1",
        "00-" + TRACE + "-" + SPAN + "-01-",
        "00-" + TRACE + "-" + SPAN + "-01-extra",
        "00-" + TRACE + "-" + SPAN + "-0x",
        "00-" + TRACE + "-" + SPAN + "-0A",
        "0-" + TRACE + "-" + SPAN + "-01",
        "000-" + TRACE + "-" + SPAN + "-01",
        "0x-" + TRACE + "-" + SPAN + "-01",
        "0A-" + TRACE + "-" + SPAN + "-01",
        "ff-" + TRACE + "-" + SPAN + "-01",
        "cc-" + TRACE + "-" + SPAN + "-01.what",
        "00-" + TRACE + "0-" + SPAN + "-01",
        "00-4bf92f3577b34da6-" + SPAN + "-01",
        "00-00000000000000000000000000000000-" + SPAN + "-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + SPAN + "-01",
        "00-" + TRACE + "-00F067AA0BA902B7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-" + SPAN + "-01",
        "00_" + TRACE + "_" + SPAN + "_01",
        " 00-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-01 ",
        "00-" + TRACE + "-" + SPAN + "-01\n",
        "00-" + TRACE + "-" + SPAN + "-０１"
      })
  void anInvalidTraceparentStartsANewTrace(String traceparent) {
    deliver(headers("traceparent", traceparent, "tracestate", "vendor=x"));

    assertNewTrace();
  }

  @Test
  void twoTraceparentHeadersStartANewTrace() {
    deliver(headers("traceparent", TRACEPARENT, "traceparent", ORIGIN));

    assertNewTrace();
  }

  @Test
  void twoIdenticalTraceparentHeadersStartANewTraceToo() {
    deliver(headers("traceparent", TRACEPARENT, "traceparent", TRACEPARENT));

    assertNewTrace();
  }

  @Test
  void aNullTraceparentStartsANewTrace() {
    Headers headers = headers();
    headers.add("traceparent", null);
    headers.add("tracestate", null);
    headers.add("baggage", null);
    headers.add("ce_traceparent", null);
    headers.add("ce_id", null);

    deliver(headers);

    assertNewTrace();
  }

  @Test
  void bytesThatAreNoTextStartANewTrace() {
    Headers headers = headers();
    byte[] bytes = TRACEPARENT.getBytes(StandardCharsets.US_ASCII);
    bytes[10] = (byte) 0xc3;
    headers.add("traceparent", bytes);

    deliver(headers);

    assertNewTrace();
  }

  @Test
  void aLaterVersionIsReadByTheFieldsThatAreKnown() {
    deliver(headers("traceparent", "cc-" + TRACE + "-" + SPAN + "-01-what-comes-later"));

    assertThat(onlySpan().getTraceId()).isEqualTo(TRACE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage",
        "=",
        "a=",
        "=b",
        "UPPER=x",
        "a=b=c",
        "a b=c",
        "foo=1,foo=2,foo=3",
        "a=é"
      })
  void anInvalidTracestateIsDroppedAndTheTraceIsKept(String tracestate) {
    deliver(headers("traceparent", TRACEPARENT, "tracestate", tracestate));

    SpanData span = onlySpan();
    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getParentSpanContext().getTraceState().isEmpty()).isTrue();
  }

  @Test
  void aTracestateOverTheLimitOfMembersIsDropped() {
    deliver(headers("traceparent", TRACEPARENT, "tracestate", members(33)));

    assertThat(onlySpan().getTraceId()).isEqualTo(TRACE);
    assertThat(onlySpan().getParentSpanContext().getTraceState().isEmpty()).isTrue();
  }

  @Test
  void aTracestateOverTheLimitOfLengthIsDropped() {
    deliver(headers("traceparent", TRACEPARENT, "tracestate", "vendor=" + "x".repeat(10_000)));

    assertThat(onlySpan().getTraceId()).isEqualTo(TRACE);
    assertThat(onlySpan().getParentSpanContext().getTraceState().isEmpty()).isTrue();
  }

  @Test
  void aTracestateThatIsSplitIsReadAsOne() {
    deliver(headers("traceparent", TRACEPARENT, "tracestate", "a=1", "tracestate", "b=2"));

    SpanContext parent = onlySpan().getParentSpanContext();
    assertThat(parent.getTraceState().asMap()).containsEntry("a", "1").containsEntry("b", "2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage", "=", "=x", "k=%zz", "k=\u0000", "ключ=значение", ";;;,,,"})
  void invalidBaggageIsDroppedAndTheTraceIsKept(String baggage) {
    EventTracing.ProcessSpan process =
        tracing.startProcess(
            incoming("traceparent", TRACEPARENT, "baggage", baggage), "billing", 1);

    try (Scope ignored = process.makeCurrent()) {
      assertThat(Span.current().getSpanContext().getTraceId()).isEqualTo(TRACE);
      assertThat(Baggage.current().getEntryValue("k")).isNotEqualTo("\u0000");
    }
    process.ended("applied");
  }

  @ParameterizedTest
  @ValueSource(strings = {"k=%zz", "k=%", "k=v;\"x\"", "k=v;a\\b", "k=v,=,;,x"})
  void aSenderOfInvalidBaggageCannotFloodTheLog(String baggage) {
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Logger parser = Logger.getLogger("io.opentelemetry.api");
    Handler handler = new Capturing(logged);
    parser.addHandler(handler);
    try {
      deliver(headers("traceparent", TRACEPARENT, "baggage", baggage));
    } finally {
      parser.removeHandler(handler);
    }

    assertThat(onlySpan().getTraceId()).isEqualTo(TRACE);
    assertThat(logged).isEmpty();
  }

  @Test
  void baggageOverTheLimitIsDropped() {
    EventTracing.ProcessSpan process =
        tracing.startProcess(
            incoming("traceparent", TRACEPARENT, "baggage", "k=" + "x".repeat(9_000)),
            "billing",
            1);

    try (Scope ignored = process.makeCurrent()) {
      assertThat(Baggage.current().isEmpty()).isTrue();
    }
    process.ended("applied");
  }

  @Test
  void anInvalidOriginIsNotLinked() {
    deliver(headers("traceparent", TRACEPARENT, "ce_traceparent", "not-" + ORIGIN));

    assertThat(onlySpan().getLinks()).isEmpty();
  }

  private static final class Capturing extends Handler {
    private final List<LogRecord> records;

    Capturing(List<LogRecord> records) {
      this.records = records;
    }

    @Override
    public void publish(LogRecord record) {
      records.add(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private void deliver(Headers headers) {
    EventTracing.ProcessSpan process = tracing.startProcess(incoming(headers), "billing", 1);
    try (Scope ignored = process.makeCurrent()) {
      assertThat(Span.current().getSpanContext().isValid()).isTrue();
    }
    process.ended("applied");
  }

  private static void assertNewTrace() {
    SpanData span = onlySpan();
    assertThat(span.getSpanContext().isValid()).isTrue();
    assertThat(span.getTraceId()).isNotEqualTo(TRACE);
    assertThat(span.getParentSpanContext().isValid()).isFalse();
    assertThat(span.getLinks()).isEmpty();
  }

  private static String members(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "k" + i + "=v" + i)
        .collect(Collectors.joining(","));
  }

  private static SpanData onlySpan() {
    assertThat(otel.getSpans()).hasSize(1);
    return otel.getSpans().get(0);
  }
}
