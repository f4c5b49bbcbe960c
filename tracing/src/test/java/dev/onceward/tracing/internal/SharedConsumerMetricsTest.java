package dev.onceward.tracing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.tracing.EventTracing;
import dev.onceward.tracing.FakeConsumer;
import dev.onceward.tracing.SemconvDialect;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedConsumerMetricsTest {

  @BeforeEach
  @AfterEach
  void reset() {
    GlobalOpenTelemetry.resetForTest();
  }

  @Test
  void aProviderHasOneSetOfInstrumentsForEachDialect() {
    OpenTelemetrySdk sdk = sdk();
    OpenTelemetrySdk other = sdk();
    GlobalOpenTelemetry.set(sdk);

    ConsumerMetrics metrics = metrics(sdk.getMeterProvider(), SemconvDialect.V1_45);

    assertThat(metrics(sdk.getMeterProvider(), SemconvDialect.V1_45)).isSameAs(metrics);
    assertThat(metrics(GlobalOpenTelemetry.getMeterProvider(), SemconvDialect.V1_45))
        .isSameAs(metrics);
    assertThat(metrics(sdk.getMeterProvider(), SemconvDialect.V1_24)).isNotSameAs(metrics);
    assertThat(metrics(other.getMeterProvider(), SemconvDialect.V1_45)).isNotSameAs(metrics);
  }

  @Test
  void theInstrumentsLastAsLongAsTheProvider() {
    OpenTelemetrySdk sdk = sdk();
    WeakReference<ConsumerMetrics> metrics =
        new WeakReference<>(metrics(sdk.getMeterProvider(), SemconvDialect.V1_45));

    collectGarbage(List.of(metrics));

    assertThat(metrics.get())
        .isNotNull()
        .isSameAs(metrics(sdk.getMeterProvider(), SemconvDialect.V1_45));
  }

  @Test
  void aDroppedProviderIsNotKeptNotEvenByConsumersThatWereNeverClosed() {
    List<WeakReference<OpenTelemetrySdk>> dropped =
        IntStream.range(0, 100).mapToObj(i -> usedAndDropped()).toList();

    collectGarbage(dropped);

    assertThat(dropped).allMatch(reference -> reference.get() == null);
  }

  private static WeakReference<OpenTelemetrySdk> usedAndDropped() {
    OpenTelemetrySdk sdk = sdk();
    var unused =
        EventTracing.builder()
            .openTelemetry(sdk)
            .build()
            .observe(new FakeConsumer("billing").belongingTo(sdk));
    return new WeakReference<>(sdk);
  }

  private static ConsumerMetrics metrics(MeterProvider provider, SemconvDialect dialect) {
    return SharedConsumerMetrics.of(
        provider, dialect, () -> provider.meterBuilder("test." + dialect).build());
  }

  private static OpenTelemetrySdk sdk() {
    return OpenTelemetrySdk.builder()
        .setMeterProvider(
            SdkMeterProvider.builder().registerMetricReader(InMemoryMetricReader.create()).build())
        .build();
  }

  private static void collectGarbage(List<? extends WeakReference<?>> references) {
    for (int i = 0; i < 20 && references.stream().anyMatch(r -> r.get() != null); i++) {
      System.gc();
    }
  }
}
