package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.producer.ContentMode;
import dev.onceward.producer.outbox.Outbox;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import dev.onceward.tracing.EventTracing;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What arrives is what was appended, with the trace of the transaction. */
@EngineTest
class OutboxWireIT {

  @RegisterExtension
  static final OpenTelemetryExtension telemetry = OpenTelemetryExtension.create();

  private final OutboxScene outbox;
  private final EventTracing tracing =
      EventTracing.builder().openTelemetry(telemetry.getOpenTelemetry()).build();

  OutboxWireIT(KafkaServer kafka, TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
  }

  @ParameterizedTest
  @EnumSource
  void theEventThatArrivesEqualsTheOneAppended(ContentMode mode) {
    String topic = outbox.scene().topic("events-" + mode, 1);
    Outbox writer = Outbox.builder().mode(mode).tracing(tracing).build();
    Event full =
        OutboxScene.event("key", 7).toBuilder()
            .extension("unknown", "as it is")
            .correlationId("c-1")
            .originTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .header("x-foreign", new byte[] {0, -1, 10})
            .header("x-null", (byte[]) null)
            .build();
    Event keyless =
        Event.builder().source("/it").type(Scene.NOTED).data(new byte[0], "text/plain").build();
    outbox.commit(tx -> writer.appendAll(tx, topic, List.of(full, keyless)));
    outbox.start(outbox.relay());

    List<ConsumerRecord<byte[], byte[]>> records = outbox.awaitRecords(topic, 2);
    List<Event> read = records.stream().map(EventReader.standard()::read).toList();
    assertThat(read).contains(full).anyMatch(event -> event.getId().equals(keyless.getId()));
    Event arrived = read.get(read.indexOf(full));
    assertThat(arrived.foreignHeaders())
        .filteredOn(header -> header.key().startsWith("x-"))
        .containsExactlyInAnyOrderElementsOf(full.foreignHeaders());
    assertThat(arrived.entityKey()).contains("key");
    assertThat(records).anyMatch(record -> record.key() == null);
  }

  @Test
  void theStoredTraceIsForwardedAndTheSendIsLinkedToTheCreation() {
    String topic = outbox.scene().topic(1);
    Outbox writer = Outbox.builder().tracing(tracing).build();
    outbox.commit(tx -> writer.append(tx, topic, OutboxScene.event("key", 1)));
    outbox.start(outbox.relay().tracing(tracing));

    ConsumerRecord<byte[], byte[]> record = outbox.awaitRecords(topic, 1).get(0);
    eventually().until(() -> spans("send " + topic).size() == 1);
    SpanData create = spans("create " + topic).get(0);
    SpanData send = spans("send " + topic).get(0);
    assertThat(create.getKind()).isEqualTo(SpanKind.PRODUCER);
    assertThat(send.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(send.getTraceId()).isNotEqualTo(create.getTraceId());
    assertThat(send.getLinks())
        .singleElement()
        .satisfies(
            link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(create.getSpanId()));
    String traceparent =
        "00-%s-%s-%s"
            .formatted(
                create.getTraceId(),
                create.getSpanId(),
                create.getSpanContext().getTraceFlags().asHex());
    assertThat(Occurrences.header(record, "traceparent")).isEqualTo(traceparent);
    assertThat(Occurrences.header(record, "ce_traceparent")).isEqualTo(traceparent);
    assertThat(record.headers().headers("traceparent")).hasSize(1);
    eventually()
        .untilAsserted(
            () ->
                assertThat(telemetry.getMetrics())
                    .filteredOn(metric -> metric.getName().equals("onceward.outbox.shards"))
                    .singleElement()
                    .satisfies(
                        metric ->
                            assertThat(metric.getLongSumData().getPoints())
                                .extracting(LongPointData::getValue)
                                .containsExactly(16L)));
  }

  private static List<SpanData> spans(String name) {
    return telemetry.getSpans().stream().filter(span -> span.getName().equals(name)).toList();
  }
}
