package dev.onceward.tracing;

import static dev.onceward.tracing.MeteredSdk.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.onceward.tracing.EventTracing.Registration;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeakAndPoolMetricsTest {

  private static final String LEAKS = "onceward.consumer.leaks";
  private static final String POOL = "onceward.consumer.pool.";
  private static final String GROUP = "messaging.consumer.group.name";
  private static final Map<String, String> BILLING = Map.of(GROUP, "billing");

  private final MeteredSdk otel = new MeteredSdk();
  private final EventTracing tracing = otel.tracing(SemconvDialect.V1_45);

  @AfterEach
  void close() {
    otel.close();
  }

  @Test
  void areReportedWithValuesUnitsAndKinds() {
    FakeConsumer first =
        new FakeConsumer("billing").leaked("mdc", 2).pooled(10, Duration.ofMillis(1_500), 3, 7, 8);
    Registration registration = tracing.observe(first);
    tracing.observe(
        new FakeConsumer("billing").leaked("mdc", 1).pooled(5, Duration.ofSeconds(1), 0, 2, 8));

    Map<String, MetricData> metrics = otel.collect();

    assertThat(values(metrics, LEAKS))
        .isEqualTo(Map.of(Map.of(GROUP, "billing", "onceward.leak", "mdc"), 3.0));
    assertThat(values(metrics, POOL + "acquired")).isEqualTo(Map.of(BILLING, 15.0));
    assertThat(values(metrics, POOL + "wait")).isEqualTo(Map.of(BILLING, 2.5));
    // of one pool, as a rule: not added up
    assertThat(values(metrics, POOL + "waiting")).isEqualTo(Map.of(BILLING, 3.0));
    assertThat(values(metrics, POOL + "active")).isEqualTo(Map.of(BILLING, 7.0));
    assertThat(values(metrics, POOL + "max")).isEqualTo(Map.of(BILLING, 8.0));
    assertThat(metrics.values())
        .extracting(MetricData::getName, MetricData::getUnit, MetricData::getType)
        .contains(
            tuple(LEAKS, "{leak}", MetricDataType.LONG_SUM),
            tuple(POOL + "acquired", "{connection}", MetricDataType.LONG_SUM),
            tuple(POOL + "wait", "s", MetricDataType.DOUBLE_SUM),
            tuple(POOL + "waiting", "{call}", MetricDataType.LONG_GAUGE),
            tuple(POOL + "active", "{connection}", MetricDataType.LONG_GAUGE),
            tuple(POOL + "max", "{connection}", MetricDataType.LONG_GAUGE));

    registration.close();
    assertThat(values(otel.collect(), LEAKS).values()).containsExactly(3.0);
    assertThat(values(otel.collect(), POOL + "wait").values()).containsExactly(2.5);
    assertThat(values(otel.collect(), POOL + "active").values()).containsExactly(2.0);
  }
}
