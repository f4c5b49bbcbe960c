package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.Flaky;
import dev.onceward.testkit.KafkaServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One key, one handler at a time, in offset order. */
@EngineTest
class KeyOrderIT {

  private static final RetryPolicy QUICK =
      RetryPolicy.builder()
          .initialDelay(Duration.ofMillis(5))
          .maxDelay(Duration.ofMillis(20))
          .build();

  private final Scene scene;
  private final Journal journal = new Journal();

  KeyOrderIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void eventsOfAKeyRunInOffsetOrderAndRetriesKeepIt(GroupProtocol protocol) {
    String topic = scene.topic(3);
    for (int partition = 0; partition < 3; partition++) {
      scene.publishNotes(topic, partition, 150, 7);
    }
    Flaky<String> flaky = Flaky.times(2, () -> new IOException("not yet"));
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    protocol,
                    Scene.notes(
                        topic,
                        journal.of(
                            "only",
                            (note, delivery) -> {
                              Thread.sleep(delivery.offset() % 3);
                              if (delivery.offset() % 5 == 0) {
                                flaky.run(note.text(), () -> {});
                              }
                            })))
                .retryPolicy(QUICK));
    eventually().until(() -> consumer.counts().applied() == 450);

    journal.assertOrderWithinKeys();
    assertThat(journal.runs()).hasSize(450 + 2 * 90);
    assertThat(consumer.counts().retries()).isEqualTo(180);
    assertThat(journal.mostRunning()).isGreaterThan(1);
  }

  @Test
  void whileAKeyIsRetriedOtherKeysGoOn() {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, Scene.note("bad", "bad-1"));
    scene.publisher().publish(topic, Scene.note("bad", "bad-2"));
    scene.publishNotes(topic, 0, 200, 20);
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
                              if (note.text().equals("bad-1") && journal.succeeded() < 200) {
                                throw new IOException("until the others are done");
                              }
                            })))
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(Integer.MAX_VALUE)
                        .initialDelay(Duration.ofMillis(5))
                        .maxDelay(Duration.ofMillis(20))
                        .build()));
    eventually().until(() -> consumer.counts().applied() == 202);

    journal.assertOrderWithinKeys();
  }

  @Test
  void keysAreBytesAndAnEmptyKeyIsAKey() throws Exception {
    String topic = scene.topic(1);
    // no text, two that differ in the last bit, and one that looks like the name of the first
    List<byte[]> keys =
        List.of(
            new byte[0],
            new byte[] {(byte) 0xff, (byte) 0xfe, 0},
            new byte[] {(byte) 0xff, (byte) 0xfe, 1},
            "fffe00".getBytes(StandardCharsets.UTF_8));
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      for (byte[] key : keys) {
        records.add(keyed(topic, key, "round-" + round));
      }
    }
    scene.publisher().sendAll(records);
    // each key's first handler waits for the other three: they must be four lanes
    CyclicBarrier all = new CyclicBarrier(keys.size());
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(
                    topic,
                    journal.of("only", (note, delivery) -> all.await(60, TimeUnit.SECONDS)))));
    eventually().until(() -> consumer.counts().applied() == 20);

    journal.assertOrderWithinKeys();
    assertThat(consumer.counts().retries()).isZero();
  }

  @Test
  void recordsWithoutAKeyRunOneByOneInPartitionOrder() {
    String topic = scene.topic(2);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      records.add(Scene.record(topic, i % 2, (byte[]) null, Scene.note("", "keyless-" + i)));
    }
    scene.publisher().sendAll(records);
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(topic, journal.of("only", (note, delivery) -> Thread.sleep(2)))));
    eventually().until(() -> consumer.counts().applied() == 40);

    journal.assertOrderWithinKeys();
  }

  @Test
  void recordsWithoutAKeyRunInParallelWhenTheirOrderIsOfNoUse() {
    String topic = scene.topic(1);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      records.add(Scene.record(topic, 0, (byte[]) null, Scene.note("", "keyless-" + i)));
    }
    scene.publisher().sendAll(records);
    CyclicBarrier all = new CyclicBarrier(4);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(topic, (note, delivery) -> all.await(60, TimeUnit.SECONDS)))
                .keylessRecords(KeylessRecords.UNORDERED));

    eventually().until(() -> consumer.counts().applied() == 4);
    assertThat(consumer.counts().retries()).isZero();
  }

  @Test
  void theSameKeyInTwoPartitionsOrTopicsIsTwoLanes() {
    String topic = scene.topic(2);
    String other = scene.topic("other", 1);
    scene.publisher().send(Scene.record(topic, 0, Scene.note("same", "a")));
    scene.publisher().send(Scene.record(topic, 1, Scene.note("same", "b")));
    scene.publisher().send(Scene.record(other, 0, Scene.note("same", "c")));
    CyclicBarrier all = new CyclicBarrier(3);
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                GroupProtocol.CONSUMER,
                LambdaHandlers.of("notes", topic, other)
                    .on(
                        Scene.NOTED,
                        Note.class,
                        (Note note, Delivery delivery) -> all.await(60, TimeUnit.SECONDS))));

    eventually().until(() -> consumer.counts().applied() == 3);
    assertThat(consumer.counts().retries()).isZero();
  }

  private static ProducerRecord<byte[], byte[]> keyed(
      String topic, byte @Nullable [] key, String text) {
    return Scene.record(topic, 0, key, Scene.note("", text));
  }
}
