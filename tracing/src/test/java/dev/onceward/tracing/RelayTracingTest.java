package dev.onceward.tracing;

import static dev.onceward.tracing.Records.TOPIC;
import static dev.onceward.tracing.Records.outgoing;
import static dev.onceward.tracing.Records.values;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.tracing.EventTracing.CreateSpan;
import dev.onceward.tracing.EventTracing.Registration;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RelayTracingTest {

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  private final EventTracing tracing =
      EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).build();

  @Test
  void aCreationIsAProducerSpanWhoseContextTheRecordCarries() {
    ProducerRecord<byte[], byte[]> record = outgoing("ce_id", "e-1");

    CreateSpan create = tracing.startCreate(record);
    create.created();
    create.failed(new IllegalStateException("too late"));

    SpanData span = otel.getSpans().get(0);
    assertThat(otel.getSpans()).hasSize(1);
    assertThat(span.getName()).isEqualTo("create " + TOPIC);
    assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(span.getAttributes().asMap())
        .containsEntry(AttributeKey.stringKey("messaging.operation.name"), "create")
        .containsEntry(AttributeKey.stringKey("messaging.operation.type"), "create");
    assertThat(values(record.headers(), "traceparent")).containsExactly(create.traceparent());
    assertThat(values(record.headers(), "ce_traceparent"))
        .containsExactly(create.originTraceparent());
    assertThat(create.traceparent()).contains(span.getSpanId());
    assertThat(otel.getMetrics()).isEmpty();
  }

  @Test
  void aForwardedRecordIsNotChangedAndItsSendIsLinkedToTheCreation() {
    ProducerRecord<byte[], byte[]> record = outgoing("ce_id", "e-1", "tracestate", "a=b");
    tracing.startCreate(record).created();
    var before = record.headers().toArray();

    EventTracing.SendSpan send = tracing.startForward(record);
    send.sent(1, 5);

    SpanData created = otel.getSpans().get(0);
    SpanData sent = otel.getSpans().get(1);
    assertThat(record.headers().toArray()).isEqualTo(before);
    assertThat(send.traceparent()).contains(created.getSpanId());
    assertThat(sent.getName()).isEqualTo("send " + TOPIC);
    assertThat(sent.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(sent.getParentSpanContext().isValid()).isFalse();
    assertThat(sent.getLinks())
        .singleElement()
        .satisfies(
            link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(created.getSpanId()));
  }

  @Test
  void relaysAreAddedUpAndTheCountsOfThoseThatAreGoneStay() {
    Registration one = tracing.observe(relay(3, 8, Duration.ofSeconds(2)));
    Registration two = tracing.observe(relay(4, 8, Duration.ofSeconds(5)));
    assertThat(sums())
        .containsEntry("onceward.outbox.records", 7L)
        .containsEntry("onceward.outbox.shards", 16L)
        .containsEntry("onceward.outbox.backlog", 20L)
        .containsEntry("onceward.outbox.dead", 2L)
        .containsEntry("onceward.outbox.lease.changes", 4L);
    one.close();
    one.close();
    assertThat(sums())
        .containsEntry("onceward.outbox.records", 7L)
        .containsEntry("onceward.outbox.shards", 8L);
    two.close();
    assertThat(sums())
        .containsEntry("onceward.outbox.records", 7L)
        .containsEntry("onceward.outbox.shards", 0L);
  }

  private static Map<String, Long> sums() {
    return otel.getMetrics().stream()
        .filter(metric -> !metric.getName().equals("onceward.outbox.backlog.age"))
        .collect(Collectors.toMap(MetricData::getName, RelayTracingTest::sum));
  }

  private static long sum(MetricData metric) {
    return metric.getLongSumData().getPoints().stream().mapToLong(LongPointData::getValue).sum();
  }

  private static RelayObservation relay(long sent, int shards, Duration age) {
    return new RelayObservation() {
      @Override
      public Map<String, Long> records() {
        return Map.of("sent", sent, "failed", 0L);
      }

      @Override
      public long leaseChanges() {
        return 2;
      }

      @Override
      public int shards() {
        return shards;
      }

      @Override
      public long backlog() {
        return 10;
      }

      @Override
      public Duration backlogAge() {
        return age;
      }

      @Override
      public long dead() {
        return 1;
      }
    };
  }
}
