package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two consumers in one JVM that read the same topic. */
// parallel-consumer: each constructor set the error policy of all consumers in the JVM
@EngineTest
class TwoConsumersIT {

  private static final int RECORDS = 20;

  private final Scene scene;
  private final Journal journal = new Journal();

  TwoConsumersIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void shareNeitherPoliciesNorCountsNorProblemsNorTheirEnd() {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    EventConsumer once = start(topic, "once", 1);
    EventConsumer often = start(topic, "often", 4);
    EventConsumer well = start(topic, "well", 2);
    eventually()
        .until(
            () ->
                once.counts().done() == RECORDS
                    && often.counts().done() == RECORDS
                    && well.counts().done() == RECORDS);

    assertThat(runs("once")).isEqualTo(RECORDS);
    assertThat(runs("often")).isEqualTo(4 * RECORDS);
    assertThat(runs("well")).isEqualTo(RECORDS);
    assertThat(once.counts().retries()).isZero();
    assertThat(often.counts().retries()).isEqualTo(3 * RECORDS);
    assertThat(well.counts().applied()).isEqualTo(RECORDS);
    assertThat(well.counts().deadLettered()).isZero();
    assertThat(scene.collector().awaitCount(letters(topic, "once"), RECORDS))
        .allMatch(letter -> DeadLetter.header(letter, "__dlq.errors.delivery.count").equals("1"));
    assertThat(scene.collector().awaitCount(letters(topic, "often"), RECORDS))
        .allMatch(letter -> DeadLetter.header(letter, "__dlq.errors.delivery.count").equals("4"));

    once.close();
    often.close();
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    eventually().until(() -> well.counts().applied() == 2 * RECORDS);
    assertThat(well.health().ready()).isTrue();
    assertThat(well.health().problems()).isEmpty();
  }

  private long runs(String member) {
    return journal.runs().stream().filter(run -> run.member().equals(member)).count();
  }

  private String letters(String topic, String member) {
    return topic + "." + scene.group() + "-" + member + ".dlq";
  }

  private EventConsumer start(String topic, String member, int attempts) {
    return scene.start(
        scene
            .consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(
                    topic,
                    journal.of(
                        member,
                        (note, delivery) -> {
                          if (!member.equals("well")) {
                            throw new IOException("never");
                          }
                        })))
            .group(scene.group() + "-" + member)
            .concurrency(4)
            .retryPolicy(
                RetryPolicy.builder()
                    .maxAttempts(attempts)
                    .initialDelay(Duration.ofMillis(2))
                    .maxDelay(Duration.ofMillis(5))
                    .build()));
  }
}
