package dev.onceward.tracing;

import static dev.onceward.tracing.MeteredSdk.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.onceward.tracing.EventTracing.Registration;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConsumerMetricsTest {

  private static final String DELIVERIES = "onceward.consumer.deliveries";
  private static final String RETRIES = "onceward.consumer.retries";
  private static final String IN_FLIGHT = "onceward.consumer.in_flight";
  private static final String ASSIGNED = "onceward.consumer.partitions.assigned";
  private static final String HELD = "onceward.consumer.partition.held";

  private static final String GROUP = "messaging.consumer.group.name";
  private static final Map<String, String> BILLING = Map.of(GROUP, "billing");

  private final MeteredSdk otel = new MeteredSdk();
  private final EventTracing tracing = otel.tracing(SemconvDialect.V1_45);

  @AfterEach
  void close() {
    otel.close();
  }

  @Test
  void aConsumerIsReportedWithValuesUnitsAndKinds() {
    tracing.observe(
        new FakeConsumer("billing")
            .delivered("applied", 40)
            .delivered("duplicate", 0)
            .retried(3)
            .inFlight(7)
            .assigned(2)
            .holding("orders", 5, "handler", Duration.ofMillis(21_500)));

    Map<String, MetricData> metrics = otel.collect();

    assertThat(values(metrics, DELIVERIES))
        .isEqualTo(
            Map.of(
                Map.of(GROUP, "billing", "onceward.outcome", "applied"), 40.0,
                Map.of(GROUP, "billing", "onceward.outcome", "duplicate"), 0.0));
    assertThat(values(metrics, RETRIES)).isEqualTo(Map.of(BILLING, 3.0));
    assertThat(values(metrics, IN_FLIGHT)).isEqualTo(Map.of(BILLING, 7.0));
    assertThat(values(metrics, ASSIGNED)).isEqualTo(Map.of(BILLING, 2.0));
    assertThat(values(metrics, HELD)).isEqualTo(Map.of(held("orders", 5, "handler"), 21.5));
    assertThat(metrics.values())
        .extracting(
            MetricData::getName, MetricData::getUnit, MetricData::getType, this::isMonotonic)
        .containsExactlyInAnyOrder(
            tuple(DELIVERIES, "{record}", MetricDataType.LONG_SUM, true),
            tuple(RETRIES, "{retry}", MetricDataType.LONG_SUM, true),
            tuple(IN_FLIGHT, "{record}", MetricDataType.LONG_SUM, false),
            tuple(ASSIGNED, "{partition}", MetricDataType.LONG_SUM, false),
            tuple(HELD, "s", MetricDataType.DOUBLE_GAUGE, false));
  }

  private boolean isMonotonic(MetricData metric) {
    return metric.getType() == MetricDataType.LONG_SUM && metric.getLongSumData().isMonotonic();
  }

  @Test
  void valuesAreThoseOfTheMomentOfTheCollection() {
    FakeConsumer consumer = new FakeConsumer("billing").holding("o", 1, "key", Duration.ofDays(1));
    tracing.observe(consumer);
    otel.collect();

    consumer.delivered("applied", 5).inFlight(1).holdingNothing();
    Map<String, MetricData> metrics = otel.collect();

    assertThat(values(metrics, DELIVERIES)).containsOnly(Map.entry(outcome("applied"), 5.0));
    assertThat(values(metrics, IN_FLIGHT)).containsOnly(Map.entry(BILLING, 1.0));
    assertThat(values(metrics, HELD)).isEmpty();
  }

  @Test
  void aTracingThatObservesNoConsumerReportsNone() {
    tracing.startProcess(Records.incoming(), "billing", 1).ended("applied");

    assertThat(otel.collect()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(SemconvDialect.class)
  void theGroupGoesUnderTheNamesOfTheDialect(SemconvDialect dialect) {
    otel.tracing(dialect).observe(new FakeConsumer("billing").inFlight(7));

    Map<String, String> attributes =
        switch (dialect) {
          case V1_24 -> Map.of("messaging.kafka.consumer.group", "billing");
          case V1_44, V1_45 -> BILLING;
          case DUP -> Map.of("messaging.kafka.consumer.group", "billing", GROUP, "billing");
        };
    assertThat(values(otel.collect(), IN_FLIGHT)).isEqualTo(Map.of(attributes, 7.0));
  }

  @Test
  void consumersOfOneGroupAreAddedUpWhicheverTracingTheyWereBuiltWith() {
    EventTracing other = otel.tracing(SemconvDialect.V1_45);
    tracing.observe(consumer(40).holding("orders", 5, "handler", Duration.ofSeconds(30)));
    tracing.observe(
        consumer(2)
            .holding("orders", 5, "handler", Duration.ofSeconds(25))
            .holding("orders", 6, "retry", Duration.ofSeconds(20)));
    other.observe(consumer(100).holding("orders", 5, "handler", Duration.ofSeconds(50)));
    other.observe(new FakeConsumer("shipping").delivered("applied", 1).assigned(1));

    Map<String, MetricData> metrics;
    try (LoggedTo log = new LoggedTo("io.opentelemetry.sdk.metrics")) {
      metrics = otel.collect();
      assertThat(log.records()).isEmpty();
    }

    assertThat(values(metrics, DELIVERIES))
        .containsEntry(outcome("applied"), 142.0)
        .containsEntry(Map.of(GROUP, "shipping", "onceward.outcome", "applied"), 1.0)
        .hasSize(2);
    assertThat(values(metrics, RETRIES)).containsEntry(BILLING, 3.0);
    assertThat(values(metrics, IN_FLIGHT)).containsEntry(BILLING, 30.0);
    assertThat(values(metrics, ASSIGNED))
        .isEqualTo(Map.of(BILLING, 9.0, Map.of(GROUP, "shipping"), 1.0));
    assertThat(values(metrics, HELD))
        .isEqualTo(Map.of(held("orders", 5, "handler"), 50.0, held("orders", 6, "retry"), 20.0));
  }

  @Test
  void countsNeverFallWhenAConsumerStopsAndItsLastOnesAreNotLost() {
    Registration first = tracing.observe(consumer(40));
    FakeConsumer second = consumer(100);
    Registration other = tracing.observe(second);
    otel.collect();

    first.close();
    assertThat(values(otel.collect(), DELIVERIES)).containsEntry(outcome("applied"), 140.0);
    second.delivered("applied", 107).delivered("stale", 1).retried(4);
    other.close();
    other.close();
    Map<String, MetricData> stopped = otel.collect();
    assertThat(values(stopped, DELIVERIES))
        .isEqualTo(Map.of(outcome("applied"), 147.0, outcome("stale"), 1.0));
    assertThat(values(stopped, RETRIES)).containsEntry(BILLING, 5.0);
    assertThat(stopped).doesNotContainKeys(IN_FLIGHT, ASSIGNED, HELD);

    tracing.observe(consumer(3));
    assertThat(values(otel.collect(), DELIVERIES)).containsEntry(outcome("applied"), 150.0);
  }

  @Test
  void aDeltaReaderNeverSeesANegativeCount() {
    try (MeteredSdk delta = new MeteredSdk(InMemoryMetricReader.createDelta())) {
      EventTracing toDelta = delta.tracing(SemconvDialect.V1_45);
      Registration first = toDelta.observe(consumer(40));
      assertThat(values(delta.collect(), DELIVERIES)).containsEntry(outcome("applied"), 40.0);

      first.close();
      Registration second = toDelta.observe(consumer(5));
      assertThat(values(delta.collect(), DELIVERIES)).containsEntry(outcome("applied"), 5.0);

      second.close();
      assertThat(values(delta.collect(), DELIVERIES)).containsEntry(outcome("applied"), 0.0);
    }
  }

  @Test
  void aThousandConsumersStartedAndStoppedLeaveNothingButTheTotalsOfTheirGroup() {
    tracing.observe(consumer(1).holding("orders", 0, "handler", Duration.ofSeconds(20)));
    Map<String, MetricData> before = otel.collect();
    List<WeakReference<FakeConsumer>> stopped = new ArrayList<>();

    for (int i = 0; i < 1_000; i++) {
      FakeConsumer consumer =
          consumer(1).holding("orders", 1 + i, "handler", Duration.ofSeconds(20));
      stopped.add(new WeakReference<>(consumer));
      Registration registration = otel.tracing(SemconvDialect.V1_45).observe(consumer);
      if (i % 100 == 0) {
        assertThat(otel.collect()).hasSameSizeAs(before);
      }
      registration.close();
    }

    Map<String, MetricData> after = otel.collect();
    assertThat(after.keySet()).isEqualTo(before.keySet()).hasSize(5);
    for (String name : after.keySet()) {
      assertThat(values(after, name).keySet()).as(name).isEqualTo(values(before, name).keySet());
    }
    assertThat(values(after, DELIVERIES)).isEqualTo(Map.of(outcome("applied"), 1_001.0));
    assertThat(values(after, ASSIGNED)).isEqualTo(Map.of(BILLING, 3.0));
    assertThatAllAreCollected(stopped);
  }

  /** A collection of garbage is asked for a few times; the SDK's last collection must not count. */
  private static void assertThatAllAreCollected(List<WeakReference<FakeConsumer>> references) {
    for (int i = 0; i < 20 && references.stream().anyMatch(r -> r.get() != null); i++) {
      System.gc();
    }
    assertThat(references).allMatch(reference -> reference.get() == null);
  }

  @Test
  void countsAreExactAndOnlyGrowWhileConsumersComeAndGoDuringCollections() throws Exception {
    int threads = 4;
    int consumersEach = 500;
    ExecutorService workers = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(workers.submit(() -> startAndStop(consumersEach)));
      }
      double last = 0;
      while (running.stream().anyMatch(worker -> !worker.isDone())) {
        double now = values(otel.collect(), DELIVERIES).getOrDefault(outcome("applied"), 0.0);
        assertThat(now).isGreaterThanOrEqualTo(last);
        last = now;
      }
      for (Future<?> worker : running) {
        worker.get();
      }
    } finally {
      workers.shutdownNow();
    }

    assertThat(values(otel.collect(), DELIVERIES))
        .isEqualTo(Map.of(outcome("applied"), threads * consumersEach * 10.0));
  }

  private void startAndStop(int consumers) {
    for (int i = 0; i < consumers; i++) {
      FakeConsumer consumer = new FakeConsumer("billing");
      Registration registration = tracing.observe(consumer);
      for (int applied = 1; applied <= 10; applied++) {
        consumer.delivered("applied", applied);
      }
      registration.close();
    }
  }

  @Test
  void groupsMadeUpAtRunTimeAreForgottenInTheOrderInWhichTheyEnded() {
    tracing.observe(consumer(1));
    for (int i = 0; i < 1_000; i++) {
      tracing.observe(new FakeConsumer("made-up-" + i).delivered("applied", 1)).close();
    }

    Set<Map<String, String>> groups = values(otel.collect(), RETRIES).keySet();

    assertThat(groups)
        .hasSize(101)
        .contains(BILLING, Map.of(GROUP, "made-up-900"), Map.of(GROUP, "made-up-999"));
  }

  @Test
  void aConsumerThatThrowsBreaksNeitherTheOthersNorItsCounts() {
    try (LoggedTo log = new LoggedTo("dev.onceward.tracing.internal.ObservedConsumer")) {
      Broken broken = new Broken();
      Registration registration = tracing.observe(broken);
      tracing.observe(consumer(40));
      assertThat(values(otel.collect(), DELIVERIES)).containsEntry(outcome("applied"), 45.0);

      broken.broken = true;
      for (int i = 0; i < 10; i++) {
        Map<String, MetricData> metrics = otel.collect();
        assertThat(values(metrics, DELIVERIES)).containsEntry(outcome("applied"), 45.0);
        assertThat(values(metrics, RETRIES)).containsEntry(BILLING, 1.0);
        assertThat(values(metrics, IN_FLIGHT)).containsEntry(BILLING, 10.0);
        assertThat(values(metrics, ASSIGNED)).containsEntry(BILLING, 3.0);
        assertThat(values(metrics, HELD)).isEmpty();
      }
      registration.close();

      assertThat(values(otel.collect(), DELIVERIES)).containsEntry(outcome("applied"), 45.0);
      assertThat(log.records())
          .singleElement()
          .satisfies(
              record -> {
                assertThat(record.getMessage()).contains("group billing").contains("deliveries");
                assertThat(record.getThrown()).hasMessage("broken on purpose");
              });
    }
  }

  @Test
  void aHeldPartitionHasAPlaceAndAnAge() {
    assertThatThrownBy(() -> new ConsumerObservation.Held("orders", -1, "key", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    Duration negative = Duration.ofSeconds(-1);
    assertThatThrownBy(() -> new ConsumerObservation.Held("orders", 0, "key", negative))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("age");
  }

  private static FakeConsumer consumer(long applied) {
    return new FakeConsumer("billing")
        .delivered("applied", applied)
        .retried(1)
        .inFlight(10)
        .assigned(3);
  }

  private static Map<String, String> outcome(String name) {
    return Map.of(GROUP, "billing", "onceward.outcome", name);
  }

  private static Map<String, String> held(String topic, int partition, String gate) {
    return Map.of(
        GROUP,
        "billing",
        "messaging.destination.name",
        topic,
        "messaging.destination.partition.id",
        Integer.toString(partition),
        "onceward.gate",
        gate);
  }

  /** Throws, or returns what must not be returned, once it is broken. */
  private static final class Broken implements ConsumerObservation {

    private volatile boolean broken;

    @Override
    public String group() {
      return "billing";
    }

    @Override
    public long inFlight() {
      return orThrow(0);
    }

    @Override
    public int assignedPartitions() {
      return (int) orThrow(0);
    }

    @Override
    public Map<String, Long> deliveries() {
      return Map.of("applied", orThrow(5));
    }

    @Override
    public long retries() {
      return broken ? -7 : 0; // no count ever falls, whatever a consumer says
    }

    @Override
    @SuppressWarnings("NullAway") // a consumer that breaks the contract
    public Collection<Held> held() {
      return broken ? null : List.of();
    }

    private long orThrow(long value) {
      if (broken) {
        throw new IllegalStateException("broken on purpose");
      }
      return value;
    }
  }
}
