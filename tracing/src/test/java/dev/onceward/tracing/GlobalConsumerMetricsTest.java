package dev.onceward.tracing;

import static dev.onceward.tracing.MeteredSdk.values;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.tracing.EventTracing.Registration;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Consumers of a tracing on the global OpenTelemetry, which may be registered after them. */
class GlobalConsumerMetricsTest {

  private static final Map<String, String> BILLING =
      Map.of("messaging.consumer.group.name", "billing");
  private static final Map<String, String> APPLIED =
      Map.of("messaging.consumer.group.name", "billing", "onceward.outcome", "applied");

  private final MeteredSdk otel = new MeteredSdk();
  private final EventTracing tracing = EventTracing.global();

  @BeforeEach
  @AfterEach
  void reset() {
    GlobalOpenTelemetry.resetForTest();
  }

  @AfterEach
  void close() {
    otel.close();
  }

  @Test
  void aGlobalThatIsThereIsUsedAtOnceByAllConsumersTogether() {
    GlobalOpenTelemetry.set(otel.sdk());

    tracing.observe(new FakeConsumer("billing").inFlight(1));
    EventTracing.global().observe(new FakeConsumer("billing").inFlight(2));
    EventTracing.builder()
        .openTelemetry(otel.sdk())
        .build()
        .observe(new FakeConsumer("billing").inFlight(4));

    assertThat(inFlight()).isEqualTo(Map.of(BILLING, 7.0));
  }

  @Test
  void observingDoesNotSetTheGlobal() {
    tracing.observe(new FakeConsumer("billing")).close();

    assertThat(GlobalOpenTelemetry.isSet()).isFalse();
  }

  @Test
  void aGlobalRegisteredLaterIsFoundByTheNextMessage() {
    FakeConsumer early = new FakeConsumer("billing").delivered("applied", 3).inFlight(1);
    Registration registration = tracing.observe(early);
    tracing.observe(new FakeConsumer("billing").inFlight(100)).close();
    GlobalOpenTelemetry.set(otel.sdk());

    tracing.startProcess(Records.incoming(), "billing", 1).ended("applied");

    assertThat(inFlight()).isEqualTo(Map.of(BILLING, 1.0));
    early.delivered("applied", 9);
    registration.close();
    registration.close();
    assertThat(inFlight()).isEmpty();
    assertThat(values(otel.collect(), "onceward.consumer.deliveries"))
        .isEqualTo(Map.of(APPLIED, 9.0));
  }

  @Test
  void aGlobalRegisteredLaterIsFoundByTheNextConsumer() {
    tracing.observe(new FakeConsumer("billing").inFlight(1));
    GlobalOpenTelemetry.set(otel.sdk());

    tracing.observe(new FakeConsumer("billing").inFlight(2));

    assertThat(inFlight()).isEqualTo(Map.of(BILLING, 3.0));
  }

  @Test
  void aConsumerThatStopsAfterTheGlobalCameLeavesItsCounts() {
    Registration registration =
        tracing.observe(new FakeConsumer("billing").delivered("applied", 3));
    GlobalOpenTelemetry.set(otel.sdk());

    registration.close();

    assertThat(values(otel.collect(), "onceward.consumer.deliveries"))
        .isEqualTo(Map.of(APPLIED, 3.0));
    assertThat(inFlight()).isEmpty();
  }

  private Map<Map<String, String>, Double> inFlight() {
    return values(otel.collect(), "onceward.consumer.in_flight");
  }
}
