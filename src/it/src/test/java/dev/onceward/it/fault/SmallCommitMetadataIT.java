package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.LambdaHandlers.Handler;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A broker that takes less text beside an offset than by default, or none: what does not fit is
 * done again after a restart, and nothing is lost or stuck.
 */
@EngineTest
class SmallCommitMetadataIT {

  private static final int RECORDS = 400;

  private final Journal journal = new Journal();

  /** Each has a broker of its own, because of its setting. */
  @ParameterizedTest
  @CsvSource({"0, EAGER", "0, CONSUMER", "64, EAGER", "64, CONSUMER"})
  void saysLessAndNothingIsLostOrStuck(int limit, GroupProtocol protocol) {
    KafkaSettings settings =
        KafkaSettings.builder().brokerProperty("offset.metadata.max.bytes", limit).build();
    try (KafkaServer kafka = KafkaServer.start(settings);
        Scene scene = Scene.on(kafka)) {
      String topic = scene.topic(1);
      scene.publishNotes(topic, 0, RECORDS, RECORDS);
      // every second record waits for its retry: a long note
      EventConsumer first =
          start(
              scene,
              protocol,
              topic,
              "first",
              (note, delivery) -> {
                if (delivery.offset() % 2 == 0) {
                  throw new IOException("not here");
                }
              });
      eventually().until(() -> journal.succeeded() == RECORDS / 2);
      eventually().until(() -> journal.runs().size() >= RECORDS);
      first.close();
      OffsetAndMetadata left = scene.committed(scene.group()).get(new TopicPartition(topic, 0));
      assertThat(left).isNotNull();
      assertThat(left.offset()).isZero();
      assertThat(left.metadata()).hasSizeLessThanOrEqualTo(limit);

      EventConsumer second = start(scene, protocol, topic, "second", (note, delivery) -> {});
      eventually().until(() -> scene.committed(topic, 0) == RECORDS);
      assertThat(journal.succeeded()).isEqualTo(RECORDS);
      assertThat(second.counts().applied() + second.counts().alreadyDone()).isEqualTo(RECORDS);
      if (limit == 0) {
        assertThat(second.counts().alreadyDone()).isZero();
      }
      assertThat(second.counts().deadLettered()).isZero();
      assertThat(second.health().failure()).isEmpty();
      eventually().until(() -> second.health().problems().isEmpty());
    }
  }

  private EventConsumer start(
      Scene scene, GroupProtocol protocol, String topic, String member, Handler<Note> handler) {
    return scene.start(
        scene
            .consumer(protocol, Scene.notes(topic, journal.of(member, handler)))
            .concurrency(8)
            .retryPolicy(
                RetryPolicy.builder()
                    .maxAge(Duration.ofDays(30))
                    .initialDelay(Duration.ofDays(1))
                    .maxDelay(Duration.ofDays(1))
                    .build()));
  }
}
