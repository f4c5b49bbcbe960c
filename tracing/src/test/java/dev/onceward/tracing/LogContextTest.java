package dev.onceward.tracing;

import static dev.onceward.tracing.Records.TRACE;
import static dev.onceward.tracing.Records.TRACEPARENT;
import static dev.onceward.tracing.Records.incoming;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

@SuppressWarnings("try") // a scope is opened for its effect, not to be named
class LogContextTest {

  private final EventTracing tracing =
      EventTracing.builder()
          .openTelemetry(OpenTelemetrySdk.builder().build())
          .processRelation(ProcessRelation.PARENT)
          .build();

  @AfterEach
  void clear() {
    MDC.clear();
  }

  @Test
  void theHandlersLogLinesCarryTraceSpanAndKeyHash() {
    EventTracing.ProcessSpan process =
        tracing.startProcess(incoming("traceparent", TRACEPARENT), "billing", 1);

    try (Scope ignored = process.makeCurrent()) {
      assertThat(MDC.get("traceId")).isEqualTo(TRACE);
      assertThat(process.traceparent()).contains("-" + MDC.get("spanId") + "-");
      assertThat(MDC.get("keyHash"))
          .isEqualTo(KeyHash.of("order-1".getBytes(UTF_8)))
          .doesNotContain("order-1");
    }

    assertThat(context()).isEmpty();
  }

  @Test
  void closingRestoresExactlyTheValuesThatWereThere() {
    MDC.put("traceId", "outer-trace");
    MDC.put("eventId", "outer-event");
    MDC.put("request", "r-1");
    Map<String, String> before = context();

    EventTracing.ProcessSpan process = tracing.startProcess(incoming(), "billing", 1);
    try (Scope ignored = process.makeCurrent()) {
      assertThat(MDC.get("traceId")).isNotEqualTo("outer-trace");
      assertThat(MDC.get("eventId")).isNull();
      assertThat(MDC.get("request")).isEqualTo("r-1");
    }

    assertThat(context()).isEqualTo(before);
  }

  @Test
  void nestedDeliveriesUnwindOneByOne() {
    EventTracing.ProcessSpan outer = tracing.startProcess(incoming(), "billing", 1);
    EventTracing.ProcessSpan inner = tracing.startProcess(incoming(), "billing", 1);

    try (Scope ignored = outer.makeCurrent()) {
      Map<String, String> inOuter = context();
      try (Scope alsoIgnored = inner.makeCurrent()) {
        assertThat(context()).isNotEqualTo(inOuter);
      }
      assertThat(context()).isEqualTo(inOuter);
    }

    assertThat(context()).isEmpty();
  }

  @Test
  void aScopeClosedTwiceRestoresOnce() {
    EventTracing.ProcessSpan process = tracing.startProcess(incoming(), "billing", 1);
    Scope scope = process.makeCurrent();
    scope.close();
    MDC.put("traceId", "later");

    scope.close();

    assertThat(MDC.get("traceId")).isEqualTo("later");
  }

  @Test
  void aScopeClosedOnAnotherThreadLeavesThatThreadAlone() {
    EventTracing.ProcessSpan process = tracing.startProcess(incoming(), "billing", 1);
    Scope scope = process.makeCurrent();

    String other =
        CompletableFuture.supplyAsync(
                () -> {
                  MDC.put("traceId", "theirs");
                  scope.close();
                  return MDC.get("traceId");
                })
            .join();

    assertThat(other).isEqualTo("theirs");
    scope.close();
    assertThat(context()).isEmpty();
  }

  @Test
  void aRecordWithoutAKeySaysSo() {
    assertThat(KeyHash.of(null)).isEqualTo("none");
    assertThat(KeyHash.of(new byte[0])).isEqualTo("e3b0c44298fc1c14");
  }

  private static Map<String, String> context() {
    return Objects.requireNonNullElseGet(MDC.getCopyOfContextMap(), HashMap::new);
  }
}
