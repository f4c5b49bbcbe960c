package dev.onceward.it.effect;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that are idempotent by the offset: one row for each partition. */
@EngineTest
class OffsetIdempotencyIT {

  private static final int EVENTS = 400;

  private final Scene scene;
  private final Ledger ledger;
  private final JdbcInbox inbox;
  private final List<String> begun = new CopyOnWriteArrayList<>();

  OffsetIdempotencyIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    ledger = Ledger.in(database.dataSource());
    inbox = JdbcInbox.on(ledger.dataSource());
    scene.afterClose(ledger::close);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 50})
  void aPartitionIsHandledInOrderAndItsRecordsTakeEffectOnceWithoutARowForEach(int batch)
      throws Exception {
    String topic = scene.topic(2);
    scene.publishNotes(topic, 0, EVENTS, 40);
    scene.publishNotes(topic, 1, EVENTS, 40);
    EventConsumer first = scene.start(consumer(topic, batch));
    eventually().until(() -> scene.committedInAll() == 2 * EVENTS);
    first.close();
    assertThat(first.counts().applied()).isEqualTo(2 * EVENTS);
    for (int partition = 0; partition < 2; partition++) {
      String prefix = partition + "-";
      assertThat(begun.stream().filter(text -> text.startsWith(prefix)).toList())
          .isSortedAccordingTo(
              (a, b) ->
                  Integer.compare(
                      Integer.parseInt(a.substring(2)), Integer.parseInt(b.substring(2))));
    }

    // as if none of its commits had arrived
    forgetOffsets(topic);
    EventConsumer second = scene.start(consumer(topic, batch));
    eventually().until(() -> second.counts().done() == 2 * EVENTS);
    assertThat(second.counts().duplicates()).isEqualTo(2 * EVENTS);
    assertThat(ledger.rows("offsets")).hasSize(2 * EVENTS).allSatisfy((id, n) -> one(n));
    assertThat(ledger.dedupeRows("offsets")).isZero();

    scene.publishNotes(topic, 0, 10, 10);
    eventually().until(() -> second.counts().applied() == 10);
  }

  private static void one(int times) {
    assertThat(times).isEqualTo(1);
  }

  private void forgetOffsets(String topic) throws InterruptedException, ExecutionException {
    eventually()
        .ignoreExceptions()
        .until(
            () -> {
              scene
                  .admin()
                  .alterConsumerGroupOffsets(
                      scene.group(),
                      Map.of(
                          new TopicPartition(topic, 0), new OffsetAndMetadata(0),
                          new TopicPartition(topic, 1), new OffsetAndMetadata(0)))
                  .all()
                  .get();
              return true;
            });
  }

  private EventConsumer.Builder consumer(String topic, int batch) {
    return scene
        .consumer(
            GroupProtocol.CONSUMER,
            LambdaHandlers.of("offsets", topic)
                .on(
                    Scene.NOTED,
                    Note.class,
                    (Note note, Delivery delivery, Connection tx) -> {
                      begun.add(note.text());
                      ledger.add(tx, "offsets", note.text() + "@" + delivery.offset());
                    },
                    Guarantee.IDEMPOTENT_BY_OFFSET))
        .inbox(inbox)
        .batches(BatchPolicy.of(batch));
  }
}
