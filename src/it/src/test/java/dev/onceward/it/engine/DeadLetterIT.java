package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.consumer.UnhandledEvents;
import dev.onceward.envelope.Event;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that end in the dead-letter topic, and records that do not. */
@EngineTest
class DeadLetterIT {

  private static final long LONG_AGO = 1_600_000_000_000L;

  private final Scene scene;

  DeadLetterIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void aDeadLetterIsTheOriginalRecordAndSaysWhatWentWrong() {
    String topic = scene.topic(3);
    ProducerRecord<byte[], byte[]> sent = Scene.record(topic, 2, Scene.note("order-1", "event-1"));
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, 2, LONG_AGO, sent.key(), sent.value(), sent.headers());
    record
        .headers()
        .add(
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".getBytes(UTF_8))
        .add("mine", "kept".getBytes(UTF_8))
        .add("mine", "twice".getBytes(UTF_8))
        .add("empty", null)
        .add("__dlq.errors.topic", "of an earlier hop".getBytes(UTF_8))
        .add("dlq_reason", "of an earlier hop".getBytes(UTF_8));
    scene.publisher().send(record);
    Instant before = Instant.now();
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(
                    topic,
                    (note, delivery) -> {
                      throw new PermanentFailure("no such order", new IllegalStateException("why"));
                    })));
    eventually().until(() -> consumer.counts().deadLettered() == 1);

    ConsumerRecord<byte[], byte[]> letter = letters(topic, 1).get(0);
    assertThat(letter.key()).isEqualTo(record.key());
    assertThat(letter.value()).isEqualTo(record.value());
    // the topic stamps it, so that its retention begins now; the original time is in a header
    assertThat(letter.timestamp()).isGreaterThan(LONG_AGO);
    assertThat(DeadLetter.header(letter, "dlq_timestamp")).isEqualTo(Long.toString(LONG_AGO));
    assertThat(letter.partition()).isEqualTo(2);
    for (String name : List.of("ce_id", "ce_source", "ce_type", "ce_subject", "event-id")) {
      assertThat(DeadLetter.headers(letter, name))
          .as(name)
          .containsExactly(new String(record.headers().lastHeader(name).value(), UTF_8));
    }
    assertThat(DeadLetter.headers(letter, "mine")).containsExactly("kept", "twice");
    assertThat(DeadLetter.headers(letter, "empty")).containsExactly("null");
    assertThat(DeadLetter.header(letter, "traceparent"))
        .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    assertThat(DeadLetter.header(letter, "__dlq.errors.topic")).isEqualTo(topic);
    assertThat(DeadLetter.header(letter, "__dlq.errors.partition")).isEqualTo("2");
    assertThat(DeadLetter.header(letter, "__dlq.errors.offset")).isEqualTo("0");
    assertThat(DeadLetter.header(letter, "__dlq.errors.group")).isEqualTo(scene.group());
    assertThat(DeadLetter.header(letter, "__dlq.errors.delivery.count")).isEqualTo("1");
    assertThat(DeadLetter.header(letter, "__dlq.errors.message")).isEqualTo("no such order");
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("PERMANENT");
    assertThat(DeadLetter.header(letter, "dlq_exception"))
        .isEqualTo(PermanentFailure.class.getName());
    assertThat(DeadLetter.header(letter, "dlq_fingerprint")).matches("[0-9a-f]{16}");
    assertThat(DeadLetter.header(letter, "dlq_handler")).isEqualTo("notes");
    assertThat(DeadLetter.header(letter, "dlq_stacktrace")).contains("why");
    assertThat(Instant.parse(DeadLetter.header(letter, "dlq_first_failure")))
        .isBetween(before, Instant.now());
    assertThat(Instant.parse(DeadLetter.header(letter, "dlq_last_failure")))
        .isBetween(before, Instant.now());
    assertThat(DeadLetter.size(letter, "__dlq.errors.", "dlq_")).isLessThanOrEqualTo(8192);
  }

  @Test
  void whatCannotBeReadIsDeadLetteredAtOnceAndTheRestGoesOn() {
    String topic = scene.topic(1);
    byte[] key = "order-1".getBytes(UTF_8);
    ProducerRecord<byte[], byte[]> noEvent =
        new ProducerRecord<>(topic, 0, key, "no event".getBytes(UTF_8));
    ProducerRecord<byte[], byte[]> noId = Scene.record(topic, 0, Scene.note("order-1", "gone"));
    noId.headers().remove("ce_id");
    ProducerRecord<byte[], byte[]> noJson = event(topic, "no-json", "{".getBytes(UTF_8));
    ProducerRecord<byte[], byte[]> otherShape = event(topic, "shape", "[1,2]".getBytes(UTF_8));
    ProducerRecord<byte[], byte[]> structured =
        new ProducerRecord<>(topic, 0, key, "{\"specversion\":\"1.0\",".getBytes(UTF_8));
    structured.headers().add("content-type", "application/cloudevents+json".getBytes(UTF_8));
    ProducerRecord<byte[], byte[]> noData =
        Scene.record(topic, 0, Scene.note("order-1", "no-data").toBuilder().noData().build());
    scene
        .publisher()
        .sendAll(
            List.of(
                noEvent,
                noId,
                noJson,
                otherShape,
                structured,
                noData,
                Scene.record(topic, 0, Scene.note("order-1", "good"))));
    EventConsumer consumer =
        scene.start(
            scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, (note, delivery) -> {})));
    eventually().until(() -> consumer.counts().done() == 7);
    eventually().until(() -> scene.committed(topic, 0) == 7);

    assertThat(consumer.counts().applied()).isEqualTo(1);
    assertThat(consumer.counts().retries()).isZero();
    List<ConsumerRecord<byte[], byte[]>> letters = letters(topic, 6);
    assertThat(letters).hasSize(6);
    assertThat(letters)
        .allMatch(letter -> DeadLetter.header(letter, "dlq_reason").equals("DESERIALIZATION"))
        .allMatch(letter -> DeadLetter.headers(letter, "traceparent").size() == 1);
    // in the order of the topic, byte for byte
    assertThat(letters)
        .extracting(letter -> DeadLetter.header(letter, "__dlq.errors.offset"))
        .containsExactly("0", "1", "2", "3", "4", "5");
    assertThat(letters.get(0).value()).isEqualTo(noEvent.value());
    assertThat(letters.get(4).value()).isEqualTo(structured.value());
    assertThat(letters.get(5).value()).isNull();
    assertThat(DeadLetter.headers(letters.get(0), "dlq_handler")).isEmpty();
    assertThat(DeadLetter.header(letters.get(2), "dlq_handler")).isEqualTo("notes");
  }

  @Test
  void tombstonesAreSkippedAndCounted() {
    String topic = scene.topic(1);
    scene
        .publisher()
        .sendAll(
            List.of(
                new ProducerRecord<>(topic, 0, "a".getBytes(UTF_8), null),
                Scene.record(topic, 0, Scene.note("a", "1")),
                new ProducerRecord<>(topic, 0, null, null)));
    EventConsumer consumer =
        scene.start(
            scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, (note, delivery) -> {})));
    eventually().until(() -> scene.committed(topic, 0) == 3);

    assertThat(consumer.counts().tombstones()).isEqualTo(2);
    assertThat(consumer.counts().applied()).isEqualTo(1);
    assertThat(consumer.counts().deadLettered()).isZero();
  }

  @Test
  void typesThatNobodyHandlesAreSkippedOrDeadLetteredAsTold() {
    String topic = scene.topic(1);
    scene
        .publisher()
        .publish(topic, Scene.note("a", "1").toBuilder().type("dev.onceward.it.other.v1").build());
    EventConsumer skips =
        scene.start(
            scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, (note, delivery) -> {})));
    EventConsumer deadLetters =
        scene.start(
            scene
                .consumer(GroupProtocol.CONSUMER, Scene.notes(topic, (note, delivery) -> {}))
                .group(scene.group() + "-strict")
                .unhandledEvents(UnhandledEvents.DEAD_LETTER));
    eventually().until(() -> skips.counts().done() == 1 && deadLetters.counts().done() == 1);

    assertThat(skips.counts().unhandled()).isEqualTo(1);
    assertThat(deadLetters.counts().deadLettered()).isEqualTo(1);
    ConsumerRecord<byte[], byte[]> letter =
        scene.collector().awaitCount(topic + "." + scene.group() + "-strict.dlq", 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("UNHANDLED_TYPE");
  }

  @Test
  void expiredEventsAreSkippedAndCounted() {
    String topic = scene.topic(1);
    Event note = Scene.note("a", "late");
    scene
        .publisher()
        .publish(
            topic,
            note.toBuilder()
                .expiryTime(OffsetDateTime.now(ZoneOffset.UTC).minusSeconds(1))
                .build());
    EventConsumer consumer =
        scene.start(
            scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, (n, delivery) -> {})));
    eventually().until(() -> consumer.counts().expired() == 1);
  }

  static final String EVENTS_WITHOUT_DATA = "it.deadletter.withoutdata.events";

  /** Takes an event that may have no data. */
  @EventHandlers(id = "without-data", topics = EVENTS_WITHOUT_DATA)
  static final class WithoutData {
    final List<String> handled = new CopyOnWriteArrayList<>();

    @Handles(Scene.NOTED)
    void noted(Event event, Delivery delivery) {
      handled.add(event.getId() + (event.payload() == null ? " without data" : ""));
    }
  }

  @Test
  void anEventWithoutDataIsNoTombstoneAndReachesAHandlerThatTakesTheEvent() {
    scene.kafka().createTopic(EVENTS_WITHOUT_DATA, 1);
    eventually()
        .ignoreExceptions()
        .until(() -> !scene.kafka().endOffsets(EVENTS_WITHOUT_DATA).isEmpty());
    Event event = Scene.note("a", "cancelled").toBuilder().noData().build();
    scene.publisher().publish(EVENTS_WITHOUT_DATA, event);
    WithoutData handlers = new WithoutData();
    EventConsumer consumer = scene.start(scene.consumer(GroupProtocol.CONSUMER, handlers));
    eventually().until(() -> consumer.counts().done() == 1);

    assertThat(handlers.handled).containsExactly("cancelled without data");
  }

  @Test
  void lettersOfAKeyKeepTheirOrder() {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 60, 3);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        (note, delivery) -> {
                          throw new IllegalStateException("never");
                        }))
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(2)
                        .initialDelay(Duration.ofMillis(10))
                        .build()));
    eventually().until(() -> consumer.counts().deadLettered() == 60);

    Map<String, List<Long>> offsetsByKey =
        letters(topic, 60).stream()
            .collect(
                Collectors.groupingBy(
                    letter -> new String(letter.key(), UTF_8),
                    Collectors.mapping(
                        letter -> Long.valueOf(DeadLetter.header(letter, "__dlq.errors.offset")),
                        Collectors.toList())));
    assertThat(offsetsByKey).hasSize(3);
    offsetsByKey.forEach((key, offsets) -> assertThat(offsets).as(key).isSorted().hasSize(20));
  }

  private static ProducerRecord<byte[], byte[]> event(String topic, String id, byte[] data) {
    return Scene.record(
        topic, 0, Scene.note("order-1", id).toBuilder().data(data, "application/json").build());
  }

  private List<ConsumerRecord<byte[], byte[]>> letters(String topic, int count) {
    return scene.collector().awaitCount(scene.deadLetters(topic), count);
  }
}
