package dev.onceward.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** An SDK of its own whose metrics can be read. */
final class MeteredSdk implements AutoCloseable {

  private final InMemoryMetricReader reader;
  private final SdkMeterProvider meters;
  private final OpenTelemetrySdk sdk;

  MeteredSdk() {
    this(InMemoryMetricReader.create());
  }

  MeteredSdk(InMemoryMetricReader reader) {
    this.reader = reader;
    this.meters = SdkMeterProvider.builder().registerMetricReader(reader).build();
    this.sdk = OpenTelemetrySdk.builder().setMeterProvider(meters).build();
  }

  OpenTelemetrySdk sdk() {
    return sdk;
  }

  EventTracing tracing(SemconvDialect dialect) {
    return EventTracing.builder().openTelemetry(sdk).semconv(dialect).build();
  }

  /** The metrics of consumers, by name; each name once. */
  Map<String, MetricData> collect() {
    return reader.collectAllMetrics().stream()
        .filter(metric -> metric.getName().startsWith("onceward.consumer."))
        .collect(
            Collectors.toMap(
                MetricData::getName,
                metric -> metric,
                (one, other) -> {
                  throw new AssertionError("twice: " + one + " and " + other);
                },
                TreeMap::new));
  }

  /** The values of one metric by attributes, such as {@code {outcome=applied}}; empty if absent. */
  static Map<Map<String, String>, Double> values(Map<String, MetricData> metrics, String name) {
    MetricData metric = metrics.get(name);
    if (metric == null) {
      return Map.of();
    }
    Collection<? extends PointData> points =
        switch (metric.getType()) {
          case LONG_SUM -> metric.getLongSumData().getPoints();
          case LONG_GAUGE -> metric.getLongGaugeData().getPoints();
          case DOUBLE_SUM -> metric.getDoubleSumData().getPoints();
          case DOUBLE_GAUGE -> metric.getDoubleGaugeData().getPoints();
          default -> throw new AssertionError(metric);
        };
    Map<Map<String, String>, Double> values =
        points.stream().collect(Collectors.toMap(MeteredSdk::attributes, MeteredSdk::value));
    assertThat(values).hasSameSizeAs(points);
    return values;
  }

  private static Map<String, String> attributes(PointData point) {
    return point.getAttributes().asMap().entrySet().stream()
        .collect(Collectors.toMap(entry -> key(entry.getKey()), entry -> "" + entry.getValue()));
  }

  private static String key(AttributeKey<?> key) {
    return key.getKey();
  }

  private static double value(PointData point) {
    if (point instanceof LongPointData count) {
      return count.getValue();
    }
    return ((DoublePointData) point).getValue();
  }

  @Override
  public void close() {
    meters.close();
  }
}
