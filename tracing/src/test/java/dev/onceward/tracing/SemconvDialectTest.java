package dev.onceward.tracing;

import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.incoming;
import static dev.onceward.tracing.Records.outgoing;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SemconvDialectTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  @Test
  void v124NamesWhatTheJavaAgentDoes() {
    Set<String> names = process(SemconvDialect.V1_24);

    assertThat(otel.getSpans().get(0).getName()).isEqualTo(TOPIC + " process");
    assertThat(names)
        .contains(
            "messaging.system",
            "messaging.operation",
            "messaging.kafka.consumer.group",
            "messaging.kafka.message.offset")
        .doesNotContain("messaging.operation.name", "kafka.offset", "messaging.system.name");
  }

  @Test
  void v124CallsASendPublish() {
    tracing(SemconvDialect.V1_24).startSend(outgoing()).sent(0, 0);

    SpanData span = otel.getSpans().get(0);
    assertThat(span.getName()).isEqualTo(TOPIC + " publish");
    assertThat(span.getAttributes().get(AttributeKey.stringKey("messaging.operation")))
        .isEqualTo("publish");
  }

  @Test
  void v144HasTheKafkaNamesUnderMessaging() {
    assertThat(process(SemconvDialect.V1_44))
        .contains(
            "messaging.system",
            "messaging.operation.name",
            "messaging.operation.type",
            "messaging.consumer.group.name",
            "messaging.kafka.offset")
        .doesNotContain("messaging.operation", "kafka.offset", "messaging.system.name");
  }

  @Test
  void v145IsTheDefault() {
    Set<String> expected = process(SemconvDialect.V1_45);
    otel.clearSpans();
    EventTracing.builder()
        .openTelemetry(otel.getOpenTelemetry())
        .build()
        .startProcess(incoming(), "billing", 1)
        .ended("applied");

    assertThat(names()).isEqualTo(expected).contains("messaging.system.name", "kafka.offset");
    assertThat(otel.getSpans().get(0).getInstrumentationScopeInfo().getSchemaUrl())
        .isEqualTo("https://opentelemetry.io/schemas/1.45.0");
  }

  @Test
  void dupHasTheNamesOfAllOfThem() {
    Set<String> dup = process(SemconvDialect.DUP);

    for (SemconvDialect dialect : SemconvDialect.values()) {
      otel.clearSpans();
      assertThat(dup).containsAll(process(dialect));
    }
  }

  private static Set<String> process(SemconvDialect dialect) {
    tracing(dialect).startProcess(incoming(), "billing", 1).ended("applied");
    return names();
  }

  private static Set<String> names() {
    return otel.getSpans().get(0).getAttributes().asMap().keySet().stream()
        .map(AttributeKey::getKey)
        .collect(Collectors.toSet());
  }

  private static EventTracing tracing(SemconvDialect dialect) {
    return EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).semconv(dialect).build();
  }
}
