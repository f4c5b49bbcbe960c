package dev.onceward.it.recovery;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers.Handler;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that is done above the committed offset, and attempts, are known to the next owner. */
@EngineTest
class FinishedRecordsIT {

  private static final int RECORDS = 200;

  private final Scene scene;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();

  FinishedRecordsIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
    scene.beforeClose(gate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void aRestartRunsOnlyWhatWasNotFinished(GroupProtocol protocol) {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    EventConsumer first = start(protocol, topic, "first", stuckAt(0));
    eventually().until(() -> journal.succeeded() == RECORDS - 1);
    first.close();
    assertThat(scene.committed(topic, 0)).isZero();

    EventConsumer second = start(protocol, topic, "second", (note, delivery) -> {});
    eventually().until(() -> scene.committed(topic, 0) == RECORDS);

    assertThat(journal.runs())
        .filteredOn(run -> run.member().equals("second"))
        .extracting(Journal.Run::offset)
        .containsExactly(0L);
    assertThat(second.counts().alreadyDone()).isEqualTo(RECORDS - 1);
    assertThat(second.counts().done()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aHandOverToAnotherMemberRunsOnlyWhatWasNotFinished(GroupProtocol protocol) {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    scene.publishNotes(topic, 1, RECORDS, RECORDS);
    EventConsumer owner = start(protocol, topic, "owner", stuckAt(0));
    eventually().until(() -> journal.succeeded() == 2 * RECORDS - 2);
    EventConsumer joiner = start(protocol, topic, "joiner", (note, delivery) -> {});
    // of the eager protocol both go, and one comes back
    eventually().until(() -> joiner.counts().applied() == 1);
    assertThat(joiner.counts().alreadyDone()).isEqualTo(RECORDS - 1);
    gate.open();
    eventually().until(() -> scene.committedInAll() == 2 * RECORDS);

    assertThat(journal.byPlace().values())
        .filteredOn(runs -> runs.get(0).offset() > 0)
        .hasSize(2 * RECORDS - 2)
        .allMatch(runs -> runs.size() == 1);
    assertThat(owner.health().failure()).isEmpty();
  }

  /** Half of the records of a long stretch are finished, every second one. */
  @Test
  void stripesOfFinishedRecordsSurviveToo() {
    String topic = scene.topic(1);
    int records = 5_000;
    List<ProducerRecord<byte[], byte[]>> stripes = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      // one key is stuck, and has every second record
      stripes.add(Scene.record(topic, 0, Scene.note(i % 2 == 0 ? "stuck" : "key-" + i, "" + i)));
    }
    scene.publisher().sendAll(stripes);
    EventConsumer first =
        start(GroupProtocol.CONSUMER, topic, "first", stuckAt(0), 2 * records, 32);
    eventually().until(() -> journal.succeeded() == records / 2);
    first.close();
    EventConsumer second =
        start(GroupProtocol.CONSUMER, topic, "second", (note, delivery) -> {}, 2 * records, 32);
    eventually().until(() -> scene.committed(topic, 0) == records);

    assertThat(second.counts().alreadyDone()).isEqualTo(records / 2);
    assertThat(second.counts().applied()).isEqualTo(records / 2);
    journal.assertOrderWithinKeys();
  }

  @ParameterizedTest
  @EnumSource
  void attemptsGoOnWhereTheLastOwnerEnded(GroupProtocol protocol) {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, List.of(Scene.note("a", "bad"), Scene.note("b", "good")));
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    Handler<Note> failing =
        (note, delivery) -> {
          if (note.text().equals("bad")) {
            attempts.add(delivery.attempt());
            throw new IllegalStateException("never");
          }
        };
    RetryPolicy five =
        RetryPolicy.builder()
            .maxAttempts(5)
            .initialDelay(Duration.ofMillis(400))
            .maxDelay(Duration.ofMillis(400))
            .build();
    EventConsumer first = start(protocol, topic, "first", failing, five);
    eventually().until(() -> attempts.size() >= 2);
    first.close();
    int before = attempts.size();
    EventConsumer second = start(protocol, topic, "second", failing, five);
    eventually().until(() -> scene.committed(topic, 0) == 2);

    assertThat(before).isLessThan(5);
    assertThat(attempts).containsExactly(1, 2, 3, 4, 5);
    assertThat(second.counts().deadLettered()).isEqualTo(1);
    ConsumerRecord<byte[], byte[]> letter =
        scene.collector().awaitCount(scene.deadLetters(topic), 1).get(0);
    assertThat(DeadLetter.header(letter, "__dlq.errors.delivery.count")).isEqualTo("5");
  }

  @Test
  void whatOthersHaveWrittenBesideTheOffsetIsIgnored() throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 10, 10);
    scene
        .admin()
        .alterConsumerGroupOffsets(
            scene.group(),
            Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(4, "{\"tool\":\"other\"}")))
        .all()
        .get();
    EventConsumer consumer = start(GroupProtocol.EAGER, topic, "only", (note, delivery) -> {});
    eventually().until(() -> scene.committed(topic, 0) == 10);

    assertThat(consumer.counts().applied()).isEqualTo(6);
    assertThat(consumer.counts().alreadyDone()).isZero();
  }

  private Handler<Note> stuckAt(long offset) {
    return (note, delivery) -> {
      if (delivery.offset() == offset) {
        gate.await();
      }
    };
  }

  private EventConsumer start(
      GroupProtocol protocol, String topic, String member, Handler<Note> handler) {
    return start(protocol, topic, member, handler, RetryPolicy.standard());
  }

  private EventConsumer start(
      GroupProtocol protocol,
      String topic,
      String member,
      Handler<Note> handler,
      RetryPolicy retries) {
    return scene.start(
        scene
            .consumer(protocol, Scene.notes(topic, journal.of(member, handler)))
            .concurrency(8)
            .retryPolicy(retries)
            .drainBudget(Duration.ofMillis(500)));
  }

  private EventConsumer start(
      GroupProtocol protocol,
      String topic,
      String member,
      Handler<Note> handler,
      int maxInFlight,
      int concurrency) {
    return scene.start(
        scene
            .consumer(protocol, Scene.notes(topic, journal.of(member, handler)))
            .concurrency(concurrency)
            .maxInFlightRecords(maxInFlight)
            .drainBudget(Duration.ofMillis(500)));
  }
}
