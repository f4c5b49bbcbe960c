package dev.onceward.producer.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventPolicyException;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PolicyAction;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.envelope.TypeNaming;
import dev.onceward.producer.ContentMode;
import dev.onceward.producer.PublishException;
import dev.onceward.producer.Published;
import dev.onceward.producer.UnacknowledgedEventsException;
import dev.onceward.tracing.EventTracing;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What leaves for Kafka, and how its outcome is reported; the client is Kafka's MockProducer. */
class PublishedRecordTest {

  private static final String TOPIC = "orders.order.events";
  private static final String TYPE = "com.acme.orders.placed.v1";

  @RegisterExtension static final OpenTelemetryExtension otel = OpenTelemetryExtension.create();

  private final MockProducer<byte[], byte[]> kafka =
      new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final EventTracing tracing =
      EventTracing.builder().openTelemetry(otel.getOpenTelemetry()).build();
  private final RecordSender sender =
      new RecordSender(
          kafka, tracing, KafkaAdvice.on(Map.of("bootstrap.servers", "127.0.0.1:9092")));

  @Test
  void anEventIsWrittenWithKeyIdsAndTraceContext() {
    KafkaEventPublisher publisher = publisher(ContentMode.BINARY);
    Event event =
        publisher.newEvent(TYPE, Map.of("total", 5)).subject("o-1").entityVersion(3).build();

    publisher.publish(TOPIC, event);

    ProducerRecord<byte[], byte[]> record = onlyRecord();
    assertThat(record.key()).isEqualTo("o-1".getBytes(UTF_8));
    assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"total\":5}");
    assertThat(header(record, "ce_source")).isEqualTo("/orders");
    assertThat(header(record, "ce_type")).isEqualTo(TYPE);
    assertThat(header(record, "ce_partitionkey")).isEqualTo("o-1");
    assertThat(header(record, "ce_entityversion")).isEqualTo("3");
    assertThat(header(record, "event-id"))
        .isEqualTo(header(record, "ce_id"))
        .isEqualTo(event.getId());
    assertThat(UUID.fromString(event.getId()).version()).isEqualTo(7);
    assertThat(header(record, "ce_traceparent")).isEqualTo(header(record, "traceparent"));
  }

  @Test
  void theStageCompletesWithWhereTheBrokerPutIt() {
    KafkaEventPublisher publisher = publisher(ContentMode.BINARY);
    Event event = event("e-1");

    CompletableFuture<Published> stage = publisher.publish(TOPIC, event).toCompletableFuture();
    assertThat(stage).isNotDone();
    kafka.completeNext();

    assertThat(stage).isCompletedWithValue(new Published(TOPIC, 0, 0, "e-1"));
    assertThat(otel.getSpans())
        .singleElement()
        .satisfies(span -> assertThat(span.hasEnded()).isTrue());
  }

  @Test
  void aStructuredEventCarriesItsOriginInTheValue() {
    KafkaEventPublisher publisher = publisher(ContentMode.STRUCTURED);

    publisher.publish(TOPIC, event("e-1"));

    ProducerRecord<byte[], byte[]> record = onlyRecord();
    Event read = read(record);
    assertThat(header(record, "content-type")).startsWith("application/cloudevents+json");
    assertThat(read.getId()).isEqualTo("e-1");
    assertThat(read.originTraceparent()).contains(header(record, "traceparent"));
    assertThat(record.key()).isEqualTo("o-1".getBytes(UTF_8));
  }

  @Test
  void aReEmittedEventKeepsItsOriginAndGetsAContextOfItsOwn() {
    String origin = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    Event event =
        event("e-1").toBuilder()
            .originTraceparent(origin)
            .header("traceparent", origin)
            .header("tracestate", "old=1")
            .header("other", "kept")
            .build();

    for (ContentMode mode : ContentMode.values()) {
      publisher(mode).publish(TOPIC, event);
      ProducerRecord<byte[], byte[]> record = kafka.history().get(kafka.history().size() - 1);

      assertThat(headers(record, "traceparent")).singleElement().isNotEqualTo(origin);
      assertThat(headers(record, "tracestate")).hasSizeLessThanOrEqualTo(1);
      assertThat(headers(record, "other")).containsExactly("kept");
      assertThat(read(record).originTraceparent()).contains(origin);
    }
  }

  @Test
  void anEventOverTheSizeLimitIsRefusedThroughItsStage() {
    KafkaEventPublisher publisher = publisher(ContentMode.BINARY);
    Event event = publisher.newEvent(TYPE, "x".repeat(200_000)).id("e-1").build();

    CompletableFuture<Published> stage = publisher.publish(TOPIC, event).toCompletableFuture();

    assertThat(failure(stage))
        .hasMessageContaining("e-1")
        .hasMessageContaining("SizePolicy.of")
        .hasCauseInstanceOf(EventPolicyException.class);
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void aTopicNameThatIsNotLegalIsRefusedBeforeTheClientHearsOfIt() {
    assertThat(publisher(ContentMode.BINARY).publish("bad topic/x", event("e-1")))
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(PublishException.class)
        .withMessageContaining("bad topic/x")
        .withMessageContaining("ASCII letters");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  @SuppressWarnings("NullAway") // that null is refused is what is tested
  void aPayloadThatIsNullIsRefusedWithTheWayToSendNone() {
    assertThatNullPointerException()
        .isThrownBy(() -> publisher(ContentMode.BINARY).newEvent("com.acme.x.v1", null))
        .withMessageContaining("newEvent(type)");
  }

  @Test
  void aTypeNamedOtherwiseIsRefusedByPolicy() {
    KafkaEventPublisher publisher =
        new KafkaEventPublisher(
            sender, config(ContentMode.BINARY, TypeNaming.of(PolicyAction.REFUSE)));

    CompletableFuture<Published> stage =
        publisher
            .publish(TOPIC, publisher.newEvent("OrderPlaced").noData().id("e-1").build())
            .toCompletableFuture();

    assertThat(failure(stage)).hasMessageContaining("OrderPlaced").hasMessageContaining("e-1");
    assertThat(kafka.history()).isEmpty();
  }

  @Test
  void whatKafkaRefusesIsExplainedForTheEvent() {
    CompletableFuture<Published> stage =
        publisher(ContentMode.BINARY).publish(TOPIC, event("e-1")).toCompletableFuture();

    kafka.errorNext(new RecordTooLargeException("larger than the server will accept"));

    assertThat(failure(stage).getMessage())
        .startsWith("Event e-1 (" + TYPE + ") was not published to " + TOPIC)
        .contains("max.message.bytes");
  }

  @Test
  void aRawRecordIsSentAsACopyAndCanBeSentAgain() {
    ProducerRecord<byte[], byte[]> deadLetter =
        new ProducerRecord<>("orders.dlq", 0, 1_700_000_000_000L, new byte[] {1}, new byte[] {2});
    deadLetter.headers().add("event-id", "e-1".getBytes(UTF_8));

    CompletableFuture<Published> first = sender.send(deadLetter).toCompletableFuture();
    CompletableFuture<Published> second = sender.send(deadLetter).toCompletableFuture();
    kafka.completeNext();
    kafka.completeNext();

    assertThat(first).isCompletedWithValue(new Published("orders.dlq", 0, 0, "e-1"));
    assertThat(second).isCompletedWithValue(new Published("orders.dlq", 0, 1, "e-1"));
    assertThat(deadLetter.headers().lastHeader("traceparent")).isNull();
    assertThat(kafka.history())
        .allSatisfy(
            sent -> {
              assertThat(sent.timestamp()).isEqualTo(1_700_000_000_000L);
              assertThat(headers(sent, "traceparent")).hasSize(1);
            });
  }

  @Test
  void aRawRecordThatIsNoEventIsReportedAsSuch() {
    CompletableFuture<Published> stage =
        sender.send(new ProducerRecord<>("orders.dlq", new byte[0])).toCompletableFuture();
    kafka.errorNext(new RecordTooLargeException("larger than the server will accept"));

    assertThat(failure(stage).getMessage())
        .startsWith("A record that is no event was not published to orders.dlq");
  }

  @Test
  void anErrorThatKafkaThrowsFailsTheStage() {
    kafka.sendException = new IllegalStateException("producer broke");

    CompletableFuture<Published> stage =
        publisher(ContentMode.BINARY).publish(TOPIC, event("e-1")).toCompletableFuture();

    assertThat(failure(stage)).hasMessageContaining("producer broke");
    assertThat(sender.pending()).isZero();
    assertThat(otel.getSpans()).hasSize(1);
  }

  @Test
  void closingSaysHowManyWereNotAcknowledged() {
    KafkaEventPublisher publisher = publisher(ContentMode.BINARY);
    publisher.publish(TOPIC, event("e-1"));
    publisher.publish(TOPIC, event("e-2"));
    publisher.publish(TOPIC, event("e-3"));
    kafka.completeNext();

    assertThatThrownBy(publisher::close)
        .asInstanceOf(type(UnacknowledgedEventsException.class))
        .satisfies(error -> assertThat(error.count()).isEqualTo(2))
        .extracting(Throwable::getMessage)
        .asString()
        .startsWith("2 events were not acknowledged")
        .contains("closeTimeout");
    assertThat(kafka.closed()).isTrue();
  }

  @Test
  void closingWithEverythingAcknowledgedIsQuiet() {
    KafkaEventPublisher publisher = publisher(ContentMode.BINARY);
    publisher.publish(TOPIC, event("e-1"));
    kafka.completeNext();

    publisher.close();

    assertThat(kafka.closed()).isTrue();
  }

  private KafkaEventPublisher publisher(ContentMode mode) {
    return new KafkaEventPublisher(sender, config(mode, TypeNaming.standard()));
  }

  private PublisherConfig config(ContentMode mode, TypeNaming naming) {
    return new PublisherConfig(
        URI.create("/orders"),
        mode,
        naming,
        SizePolicy.standard(),
        JacksonPayloadMapper.standard(),
        tracing,
        Duration.ofSeconds(1));
  }

  private static Event event(String id) {
    return Event.builder()
        .id(id)
        .type(TYPE)
        .source("/orders")
        .subject("o-1")
        .data("{\"total\":5}".getBytes(UTF_8), "application/json")
        .build();
  }

  private ProducerRecord<byte[], byte[]> onlyRecord() {
    assertThat(kafka.history()).hasSize(1);
    return kafka.history().get(0);
  }

  private static Event read(ProducerRecord<byte[], byte[]> record) {
    return EventReader.standard()
        .read(
            new ConsumerRecord<>(
                record.topic(),
                0,
                0,
                0L,
                TimestampType.CREATE_TIME,
                0,
                0,
                record.key(),
                record.value(),
                record.headers(),
                Optional.empty()));
  }

  private static String header(ProducerRecord<byte[], byte[]> record, String name) {
    assertThat(headers(record, name)).hasSize(1);
    return headers(record, name).get(0);
  }

  private static List<String> headers(ProducerRecord<byte[], byte[]> record, String name) {
    List<String> values = new ArrayList<>();
    for (Header header : record.headers().headers(name)) {
      values.add(new String(header.value(), UTF_8));
    }
    return values;
  }

  private static PublishException failure(CompletableFuture<Published> stage) {
    assertThat(stage).isCompletedExceptionally();
    return (PublishException) stage.handle((published, error) -> error).join();
  }
}
