package dev.onceward.tracing;

import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.incoming;
import static dev.onceward.tracing.Records.outgoing;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.util.List;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MessagingMetricsTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  @Test
  void sendsAreCountedAndTimedWithTheirErrors() {
    EventTracing tracing = tracing(SemconvDialect.V1_45);
    tracing.startSend(outgoing()).sent(0, 0);
    tracing.startSend(outgoing()).sent(0, 1);
    tracing.startSend(outgoing()).failed(new TimeoutException("no answer"));

    List<LongPointData> counts = counts("messaging.client.sent.messages");
    assertThat(counts).extracting(LongPointData::getValue).containsExactlyInAnyOrder(2L, 1L);
    assertThat(counts)
        .extracting(point -> point.getAttributes().get(stringKey("error.type")))
        .containsExactlyInAnyOrder(null, TimeoutException.class.getName());
    assertThat(histograms("messaging.client.operation.duration"))
        .extracting(HistogramPointData::getCount)
        .containsExactlyInAnyOrder(2L, 1L);
  }

  @Test
  void durationsUseTheAdvisedBucketsAndSeconds() {
    tracing(SemconvDialect.V1_45).startProcess(incoming(), "billing", 1).ended("applied");

    MetricData metric = metric("messaging.process.duration");
    assertThat(metric.getUnit()).isEqualTo("s");
    HistogramPointData point = histograms("messaging.process.duration").get(0);
    assertThat(point.getBoundaries())
        .containsExactly(
            0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0);
    assertThat(point.getSum()).isPositive().isLessThan(60);
    assertThat(point.getAttributes())
        .isEqualTo(
            Attributes.builder()
                .put("messaging.system.name", "kafka")
                .put("messaging.operation.name", "process")
                .put("messaging.operation.type", "process")
                .put("messaging.destination.name", TOPIC)
                .put("messaging.consumer.group.name", "billing")
                .build());
  }

  @Test
  void aRetryIsTimedButTheMessageIsCountedOnce() {
    EventTracing tracing = tracing(SemconvDialect.V1_45);
    tracing.startProcess(incoming(), "billing", 1).failed(new IllegalStateException("first"));
    tracing.startProcess(incoming(), "billing", 2).ended("applied");

    assertThat(counts("messaging.client.consumed.messages"))
        .extracting(LongPointData::getValue)
        .containsExactly(1L);
    assertThat(histograms("messaging.process.duration")).hasSize(2);
  }

  @Test
  void theOldDialectUsesItsOwnNames() {
    EventTracing tracing = tracing(SemconvDialect.V1_24);
    tracing.startSend(outgoing()).sent(0, 0);
    tracing.startProcess(incoming(), "billing", 1).ended("applied");

    assertThat(otel.getMetrics())
        .extracting(MetricData::getName)
        .containsExactlyInAnyOrder(
            "messaging.publish.duration",
            "messaging.publish.messages",
            "messaging.receive.messages",
            "messaging.process.duration");
  }

  private static EventTracing tracing(SemconvDialect dialect) {
    return EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).semconv(dialect).build();
  }

  private static MetricData metric(String name) {
    return otel.getMetrics().stream()
        .filter(metric -> metric.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<LongPointData> counts(String name) {
    return List.copyOf(metric(name).getLongSumData().getPoints());
  }

  private static List<HistogramPointData> histograms(String name) {
    return List.copyOf(metric(name).getHistogramData().getPoints());
  }
}
