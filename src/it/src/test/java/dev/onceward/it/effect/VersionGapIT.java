package dev.onceward.it.effect;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.VersionGapPolicy;
import dev.onceward.consumer.VersionGapPolicy.Then;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that take the versions of an entity one after the other. */
@EngineTest
class VersionGapIT {

  private final Scene scene;
  private final Ledger ledger;
  private final JdbcInbox inbox;
  private final List<String> applied = new CopyOnWriteArrayList<>();

  VersionGapIT(KafkaServer kafka, TestDatabase database) {
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
  void versionsThatCameInAnyOrderAreAppliedInTheirs(int batch) {
    long seed = ThreadLocalRandom.current().nextLong();
    String topic = scene.topic(1);
    List<Integer> versions = new ArrayList<>(IntStream.rangeClosed(1, 40).boxed().toList());
    Collections.shuffle(versions, new Random(seed));
    versions.forEach(version -> publish(topic, "order-1", version));
    EventConsumer consumer =
        scene.start(
            consumer(topic, new VersionGapPolicy(Duration.ofMinutes(5), Then.DEAD_LETTER))
                .batches(BatchPolicy.of(batch)));
    eventually().until(() -> consumer.counts().done() == 40);

    assertThat(applied)
        .as("seed %s", seed)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, 40).mapToObj(version -> "order-1 v" + version).toList());
    assertThat(consumer.counts().retries()).isPositive();
    eventually().until(() -> scene.committed(topic, 0) == 40);
  }

  @Test
  void aGapThatIsNotFilledEndsInTheDeadLettersAndHoldsUpNobodyMeanwhile() {
    String topic = scene.topic(1);
    publish(topic, "order-1", 1);
    publish(topic, "order-1", 3);
    publish(topic, "order-2", 1);
    publish(topic, "order-2", 2);
    EventConsumer consumer =
        scene.start(consumer(topic, new VersionGapPolicy(Duration.ofSeconds(3), Then.DEAD_LETTER)));
    eventually().until(() -> applied.size() == 3);
    assertThat(consumer.counts().deadLettered()).isZero();
    eventually().until(() -> consumer.counts().deadLettered() == 1);

    ConsumerRecord<byte[], byte[]> letter =
        scene.collector().awaitCount(scene.deadLetters(topic), 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("VERSION_GAP");
    assertThat(applied).containsExactlyInAnyOrder("order-1 v1", "order-2 v1", "order-2 v2");
  }

  @Test
  void aGapMayBeAcceptedInTheEnd() {
    String topic = scene.topic(1);
    publish(topic, "order-1", 5);
    publish(topic, "order-1", 6);
    publish(topic, "order-1", 4);
    EventConsumer consumer =
        scene.start(consumer(topic, new VersionGapPolicy(Duration.ofSeconds(1), Then.APPLY)));
    eventually().until(() -> consumer.counts().done() == 3);

    assertThat(consumer.counts().deadLettered()).isZero();
    assertThat(applied).last().isEqualTo("order-1 v6");
  }

  @Test
  void aPartitionThatWaitsForAGapSaysSo() {
    String topic = scene.topic(1);
    publish(topic, "order-1", 2);
    EventConsumer consumer =
        scene.start(consumer(topic, new VersionGapPolicy(Duration.ofMinutes(5), Then.DEAD_LETTER)));
    eventually()
        .until(
            () ->
                consumer.health().held().stream()
                    .anyMatch(held -> held.gate() == Gate.VERSION_GAP));
    publish(topic, "order-1", 1);
    eventually().until(() -> applied.size() == 2);
    assertThat(applied).containsExactly("order-1 v1", "order-1 v2");
  }

  private void publish(String topic, String key, long version) {
    scene
        .publisher()
        .publish(
            topic,
            Scene.note(key, key + "-" + version, key + " v" + version).toBuilder()
                .entityVersion(version)
                .build());
  }

  private EventConsumer.Builder consumer(String topic, VersionGapPolicy policy) {
    return scene
        .consumer(
            GroupProtocol.CONSUMER,
            LambdaHandlers.of("versions", topic)
                .on(
                    Scene.NOTED,
                    Note.class,
                    (Note note, Delivery delivery, Connection tx) -> {
                      ledger.set(tx, "last", note.text());
                      applied.add(note.text());
                    },
                    Guarantee.NEXT_VERSION))
        .inbox(inbox)
        .versionGaps(policy);
  }
}
