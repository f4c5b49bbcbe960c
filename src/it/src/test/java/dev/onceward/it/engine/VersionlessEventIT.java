package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An event without the version that its handler is guarded by. */
@EngineTest
class VersionlessEventIT {

  private final Scene scene;
  private final Ledger ledger;

  VersionlessEventIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    ledger = Ledger.in(database.dataSource());
    scene.afterClose(ledger::close);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void isDeadLetteredAtOnceAndHasNoEffect() {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, Scene.note("a", "without"));
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    LambdaHandlers.of("state", topic)
                        .on(
                            Scene.NOTED,
                            Note.class,
                            (note, delivery, tx) ->
                                ledger.add(tx, "state", delivery.event().getId()),
                            Guarantee.VERSION_GUARD))
                .inbox(JdbcInbox.on(ledger.dataSource())));
    eventually().until(() -> scene.committed(topic, 0) == 1);

    ConsumerRecord<byte[], byte[]> letter =
        scene.collector().awaitCount(scene.deadLetters(topic), 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("VALIDATION");
    assertThat(consumer.counts().retries()).isZero();
    assertThat(ledger.rows("state")).isEmpty();
  }
}
