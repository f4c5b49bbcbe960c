package dev.onceward.it.effect;

import static dev.onceward.it.scene.Scene.eventually;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.TopicDescription;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Owners of a partition that have lost it without knowing. */
@EngineTest
class FenceIT {

  private static final int SESSION_MILLIS = 6_000;

  private final Scene scene;
  private final TestDatabase database;
  private final Ledger ledger;
  private final JdbcInbox inbox;

  FenceIT(KafkaServer kafka, TestDatabase database) {
    this.database = database;
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
  @EnumSource
  void aConsumerThatWasFrozenThroughARebalanceCommitsNothingWhenItWakes(GroupProtocol protocol)
      throws Exception {
    String topic = scene.topic(1);
    scene.shortenSession(protocol, SESSION_MILLIS);
    scene.publisher().publish(topic, Scene.note("order-1", "event-1"));
    Properties configuration =
        AppConfiguration.ofLedgerApp(scene, protocol, SESSION_MILLIS, topic, database, ledger);
    configuration.put("handlerMillis", "2000");
    try (ChildApp frozen = ChildApp.start(FenceApp.class, configuration)) {
      eventually().until(() -> frozen.log().contains("written: event-1"));
      frozen.signal("STOP");
      EventConsumer successor =
          scene.start(
              scene.consumer(protocol, handler(topic, new CopyOnWriteArrayList<>())).inbox(inbox));
      eventually()
          .untilAsserted(
              () ->
                  assertThat(successor.counts().applied())
                      .as(() -> successor.health().toString())
                      .isEqualTo(1));
      frozen.signal("CONT");
      // its handler has slept long enough, and ends at once; all that is left is the commit
      eventually().until(() -> frozen.log().contains("ended: event-1"));
      await()
          .during(Duration.ofSeconds(2))
          .atMost(Duration.ofSeconds(30))
          .until(() -> ledger.rows("fenced").equals(Map.of("event-1", 1)));
    }
  }

  @Test
  void anOwnerWhoseFenceWasTakenByMistakeTakesItAgainAndGoesOn() throws Exception {
    String topic = scene.topic(1);
    List<Long> fences = new CopyOnWriteArrayList<>();
    EventConsumer owner =
        scene.start(scene.consumer(GroupProtocol.CONSUMER, handler(topic, fences)).inbox(inbox));
    scene.publisher().publish(topic, Scene.note("order-1", "event-1"));
    eventually().until(() -> owner.counts().applied() == 1);
    TopicDescription described =
        requireNonNull(
            scene.admin().describeTopics(List.of(topic)).allTopicNames().get().get(topic));
    long taken =
        inbox
            .takeFence(new FenceScope(scene.group(), topic, described.topicId().toString(), 0))
            .epoch();
    scene.publisher().publish(topic, Scene.note("order-1", "event-2"));
    eventually().until(() -> owner.counts().applied() == 2);

    assertThat(ledger.rows("fenced")).isEqualTo(Map.of("event-1", 1, "event-2", 1));
    assertThat(fences.get(0)).isLessThan(taken);
    assertThat(fences.get(fences.size() - 1)).isGreaterThan(taken);
    assertThat(owner.counts().deadLettered()).isZero();
  }

  @Test
  void eachOwnerHasAGreaterFenceThanTheOneBefore() {
    String topic = scene.topic(1);
    List<Long> fences = new CopyOnWriteArrayList<>();
    for (int owner = 1; owner <= 3; owner++) {
      int applied = owner;
      EventConsumer consumer =
          scene.start(scene.consumer(GroupProtocol.CONSUMER, handler(topic, fences)).inbox(inbox));
      scene.publisher().publish(topic, Scene.note("order-1", "event-" + owner));
      eventually().until(() -> fences.size() == applied);
      consumer.close();
    }
    assertThat(fences).isSorted().doesNotHaveDuplicates();
  }

  private LambdaHandlers handler(String topic, List<Long> fences) {
    return LambdaHandlers.of("fenced", topic)
        .on(
            Scene.NOTED,
            Note.class,
            (Note note, Delivery delivery, Connection tx) -> {
              fences.add(delivery.fence().orElseThrow());
              ledger.add(tx, "fenced", note.text());
            });
  }
}
