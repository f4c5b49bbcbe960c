package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members come and go under load, and their handlers finish within the drain budget. */
@EngineTest
class RebalanceIT {

  private static final int PARTITIONS = 6;
  private static final int BATCH = 60;

  private final Scene scene;
  private final Journal journal = new Journal();
  private final AtomicBoolean enough = new AtomicBoolean();

  RebalanceIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    enough.set(true);
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void membersThatJoinAndLeaveCauseNoDuplicateAndNoLoss(GroupProtocol protocol) {
    String topic = scene.topic(PARTITIONS);
    AtomicInteger published = new AtomicInteger();
    CompletableFuture<Void> load = Scene.inBackground(() -> load(topic, published));

    EventConsumer first = start(protocol, topic, "first");
    scene.awaitMembers(1);
    EventConsumer second = start(protocol, topic, "second");
    scene.awaitMembers(2);
    EventConsumer third = start(protocol, topic, "third");
    scene.awaitMembers(3);
    awaitMore();
    first.close();
    scene.awaitMembers(2);
    awaitMore();
    // in the midst of the rebalance that the first of them causes
    second.stop();
    EventConsumer fourth = start(protocol, topic, "fourth");
    second.close();
    scene.awaitMembers(2);
    awaitMore();
    third.stop();
    fourth.stop();
    third.close();
    fourth.close();
    EventConsumer fifth = start(protocol, topic, "fifth");
    awaitMore();
    enough.set(true);
    load.join();
    eventually().until(() -> journal.succeeded() == published.get());
    eventually().until(() -> scene.committedInAll() == published.get());

    journal.assertEachHandledOnce(published.get());
    journal.assertOwnersDoNotOverlap();
    journal.assertOrderWithinKeys();
    assertThat(fifth.health().failure()).isEmpty();
    assertThat(fifth.health().problems()).isEmpty();
  }

  /** Publishes as fast as the consumers keep up. */
  private void load(String topic, AtomicInteger published) {
    int next = 0;
    while (!enough.get()) {
      if (next - journal.succeeded() > 10 * BATCH) {
        eventually().until(() -> enough.get() || published.get() - journal.succeeded() < 5 * BATCH);
        continue;
      }
      List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
      for (int i = 0; i < BATCH; i++, next++) {
        batch.add(
            Scene.record(topic, next % PARTITIONS, Scene.note("key-" + next % 50, "note-" + next)));
      }
      scene.publisher().sendAll(batch);
      published.set(next);
    }
  }

  private void awaitMore() {
    int now = journal.succeeded();
    eventually().until(() -> journal.succeeded() > now + 3 * BATCH);
  }

  private EventConsumer start(GroupProtocol protocol, String topic, String member) {
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 20);
    return scene.start(
        scene
            .consumer(
                properties,
                Scene.notes(
                    topic,
                    journal.of(
                        member, (note, delivery) -> Thread.sleep(2 + delivery.offset() % 9))))
            .concurrency(8));
  }
}
