package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is held in memory while handlers are stuck or slow, and who else suffers from it. */
@EngineTest
class InFlightIT {

  private final Scene scene;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();

  InFlightIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
    scene.beforeClose(gate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void recordsAreBoundedHoweverManyPartitionsAreStuck() {
    String topic = scene.topic(8);
    for (int partition = 0; partition < 8; partition++) {
      scene.publishNotes(topic, partition, 300, 300);
    }
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    polling(50),
                    Scene.notes(topic, journal.of("only", (note, delivery) -> gate.await())))
                .maxInFlightRecords(200));

    assertThat(mostInFlight(consumer, 100)).isLessThanOrEqualTo(200 + 50);

    gate.open();
    eventually().until(() -> consumer.counts().applied() == 2_400);
    journal.assertEachHandledOnce(2_400);
  }

  @Test
  void bytesAreBoundedToo() {
    String topic = scene.topic(4);
    String text = "x".repeat(10_000);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      records.add(Scene.record(topic, i % 4, Scene.note("key-" + i, "id-" + i, text)));
    }
    scene.publisher().sendAll(records);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    polling(5),
                    Scene.notes(topic, journal.of("only", (note, delivery) -> gate.await())))
                .maxInFlightBytes(400_000));

    // 40 records are the bound, and one poll may exceed it
    assertThat(mostInFlight(consumer, 20)).isLessThanOrEqualTo(40 + 5);

    gate.open();
    eventually().until(() -> consumer.counts().applied() == 400);
  }

  @Test
  void aStuckKeyHoldsUpNoOtherKeyOfItsPartition() {
    String topic = scene.topic(1);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      String key = i % 4 == 0 ? "stuck" : "key-" + i % 50;
      records.add(Scene.record(topic, 0, Scene.note(key, "id-" + i, key)));
    }
    scene.publisher().sendAll(records);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              if (note.text().equals("stuck")) {
                                gate.await();
                              }
                            })))
                .concurrency(2));
    eventually().until(() -> consumer.counts().applied() == 900);
    assertThat(journal.running()).isEqualTo(1);

    gate.open();
    eventually().until(() -> consumer.counts().applied() == 1_200);
    journal.assertOrderWithinKeys();
  }

  @Test
  void aStuckPartitionThatHasFilledItsShareHoldsUpNoOtherPartition() {
    String topic = scene.topic(4);
    for (int partition = 0; partition < 4; partition++) {
      // one key each: nothing of partition 0 can pass its head
      scene.publishNotes(topic, partition, 600, partition == 0 ? 1 : 30);
    }
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    polling(500),
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              if (delivery.partition() == 0) {
                                gate.await();
                              }
                            })))
                .concurrency(2)
                .maxInFlightRecords(400));
    eventually().until(() -> consumer.counts().applied() == 1_800);
    assertThat(consumer.health().inFlight()).isLessThanOrEqualTo(400);

    gate.open();
    eventually().until(() -> consumer.counts().applied() == 2_400);
    journal.assertEachHandledOnce(2_400);
  }

  @Test
  void aSlowPartitionSharesTheHandlersWithTheOthers() {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, 100, 100);
    scene.publishNotes(topic, 1, 100, 100);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              if (delivery.partition() == 0) {
                                Thread.sleep(50);
                              }
                            })))
                .concurrency(4));
    eventually().until(() -> consumer.counts().applied() == 200);

    long quickDone =
        journal.runs().stream()
            .filter(run -> run.partition().partition() == 1)
            .mapToLong(Journal.Run::end)
            .max()
            .orElseThrow();
    assertThat(journal.runs())
        .filteredOn(run -> run.partition().partition() == 0 && run.begin() > quickDone)
        .as("events of the slow partition that came after all others")
        .hasSizeGreaterThan(20);
  }

  private Map<String, Object> polling(int records) {
    Map<String, Object> properties = new HashMap<>(scene.properties(GroupProtocol.CONSUMER));
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, records);
    return properties;
  }

  /** What is in flight once no more comes in: handlers are stuck, so it only grows. */
  private static long mostInFlight(EventConsumer consumer, int atLeast) {
    AtomicLong last = new AtomicLong();
    eventually().until(() -> consumer.health().inFlight() >= atLeast);
    await()
        .during(Duration.ofMillis(1_500))
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              long now = consumer.health().inFlight();
              return last.getAndSet(now) == now;
            });
    return last.get();
  }
}
