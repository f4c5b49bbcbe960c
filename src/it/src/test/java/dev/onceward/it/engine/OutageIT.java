package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.Flaky;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.PostgresServer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the consumer needs is gone for a while: the dead-letter topic, the database. */
@EngineTest
class OutageIT {

  private final Scene scene;

  OutageIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void withoutADeadLetterTopicNothingIsDroppedHealthSaysSoAndItRecovers() {
    String topic = scene.topic(1);
    EventConsumer consumer = start(topic, Map.of("max.block.ms", 1_000));
    eventually().until(() -> consumer.health().ready());
    scene.kafka().deleteTopic(scene.deadLetters(topic));
    scene
        .publisher()
        .publish(
            topic,
            List.of(
                Scene.note("a", "a1"),
                Scene.note("bad", "bad"),
                Scene.note("bad", "after-bad"),
                Scene.note("b", "b1")));
    eventually()
        .until(
            () ->
                consumer.health().problems().stream()
                    .anyMatch(line -> line.contains(scene.deadLetters(topic))));
    eventually().until(() -> consumer.counts().applied() == 2);
    assertThat(consumer.health().live()).isTrue();
    await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(60))
        .until(() -> scene.committed(topic, 0) == 1);
    assertThat(consumer.counts().deadLettered()).isZero();

    scene.kafka().createTopic(scene.deadLetters(topic), 1);
    eventually().until(() -> scene.committed(topic, 0) == 4);
    assertThat(consumer.counts().deadLettered()).isEqualTo(1);
    assertThat(consumer.counts().applied()).isEqualTo(3);
    assertThat(scene.collector().readAll(scene.deadLetters(topic)))
        .singleElement()
        .satisfies(letter -> assertThat(DeadLetter.header(letter, "ce_id")).isEqualTo("bad"));
    eventually().until(() -> consumer.health().problems().isEmpty());
  }

  @Test
  void aSendThatBlocksHoldsUpNeitherHandlersNorRetriesOfOtherKeys() {
    String topic = scene.topic(1);
    // far longer than the test waits for the others
    EventConsumer consumer = start(topic, Map.of("max.block.ms", 600_000));
    eventually().until(() -> consumer.health().ready());
    scene.kafka().deleteTopic(scene.deadLetters(topic));
    scene.publisher().publish(topic, Scene.note("bad", "bad"));
    scene.publisher().publish(topic, Scene.note("also bad", "bad", "bad"));
    for (int i = 0; i < 40; i++) {
      scene.publisher().publish(topic, Scene.note("key-" + i, "flaky-" + i));
    }

    eventually().until(() -> consumer.counts().applied() == 40);
    eventually().until(() -> !consumer.health().problems().isEmpty());
    assertThat(consumer.counts().retries()).isEqualTo(80);
    assertThat(scene.committed(topic, 0)).isLessThanOrEqualTo(0);
    consumer.close();
    assertThat(scene.committed(topic, 0)).isLessThanOrEqualTo(0);
  }

  @Test
  void aDeadLetterThatTheTopicRefusesWaitsUntilTheTopicTakesIt() throws Exception {
    String topic = scene.topic(1);
    scene.kafka().createTopic(scene.deadLetters(topic), 1, Map.of("max.message.bytes", "100"));
    EventConsumer consumer = start(topic, Map.of());
    scene.publisher().publish(topic, List.of(Scene.note("bad", "bad"), Scene.note("b", "b1")));
    eventually().until(() -> consumer.counts().applied() == 1);
    eventually().until(() -> !consumer.health().problems().isEmpty());
    assertThat(consumer.health().problems())
        .singleElement()
        .asString()
        .contains(scene.deadLetters(topic));
    assertThat(scene.committed(topic, 0)).isLessThanOrEqualTo(0);

    ConfigResource resource =
        new ConfigResource(ConfigResource.Type.TOPIC, scene.deadLetters(topic));
    scene
        .admin()
        .incrementalAlterConfigs(
            Map.of(
                resource,
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry("max.message.bytes", "1000000"), OpType.SET))))
        .all()
        .get();
    eventually().until(() -> scene.committed(topic, 0) == 2);
    assertThat(consumer.counts().deadLettered()).isEqualTo(1);
    eventually().until(() -> consumer.health().problems().isEmpty());
  }

  @ParameterizedTest
  @EnumSource
  void whileTheDatabaseIsDownEventsWaitAndNoneIsGivenUp(End end) {
    int events = 400;
    try (PostgresServer postgres = PostgresServer.start();
        Ledger ledger = Ledger.in(postgres.dataSource());
        scene) {
      String topic = scene.topic(2);
      scene.publishNotes(topic, 0, events / 2, events / 2);
      scene.publishNotes(topic, 1, events / 2, events / 2);
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(
                      GroupProtocol.CONSUMER,
                      LambdaHandlers.of("billing", topic)
                          .on(
                              Scene.NOTED,
                              Note.class,
                              (note, delivery, tx) -> {
                                Thread.sleep(5);
                                ledger.add(tx, "billing", delivery.event().getId());
                              },
                              Guarantee.IDEMPOTENT))
                  .inbox(JdbcInbox.on(ledger.dataSource()))
                  .concurrency(8)
                  // not a single failure is forgiven: an outage must not count as one
                  .retryPolicy(
                      RetryPolicy.builder()
                          .maxAttempts(1)
                          .initialDelay(Duration.ofMillis(50))
                          .maxDelay(Duration.ofMillis(500))
                          .build()));
      eventually().until(() -> consumer.counts().applied() > events / 10);
      end.of(postgres);
      eventually()
          .until(
              () ->
                  consumer.health().problems().stream().anyMatch(line -> line.startsWith("inbox")));
      assertThat(consumer.health().live()).isTrue();
      assertThat(consumer.counts().done()).isLessThan(events);
      postgres.restart();
      eventually().until(() -> consumer.counts().done() == events);
      eventually().until(() -> scene.committedInAll() == events);

      assertThat(consumer.counts().deadLettered()).isZero();
      assertThat(ledger.rows("billing"))
          .isEqualTo(
              IntStream.range(0, events)
                  .boxed()
                  .collect(Collectors.toMap(i -> i % 2 + "-" + i / 2, i -> 1)));
      eventually().until(() -> consumer.health().problems().isEmpty());
    }
  }

  /** A crash cuts the connections; a shutdown in order tells the sessions first. */
  enum End {
    CRASH,
    SHUTDOWN;

    void of(PostgresServer postgres) {
      if (this == CRASH) {
        postgres.kill();
      } else {
        postgres.stop();
      }
    }
  }

  private EventConsumer start(String topic, Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(scene.properties(GroupProtocol.CONSUMER));
    properties.putAll(more);
    Flaky<String> flaky = Flaky.times(2, () -> new IOException("not yet"));
    return scene.start(
        scene
            .consumer(
                properties,
                Scene.notes(
                    topic,
                    (note, delivery) -> {
                      if (note.text().equals("bad")) {
                        throw new PermanentFailure("bad");
                      }
                      if (note.text().startsWith("flaky")) {
                        flaky.run(note.text(), () -> {});
                      }
                    }))
            .concurrency(4)
            .drainBudget(Duration.ofSeconds(1))
            .retryPolicy(
                RetryPolicy.builder()
                    .initialDelay(Duration.ofMillis(10))
                    .maxDelay(Duration.ofMillis(50))
                    .build()));
  }
}
