package dev.onceward.it.recovery;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.LeaseLostException;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that returns a stage which nobody ever completes. */
@EngineTest
class ForgottenStageIT {

  static final String TOPIC = "it.forgotten.events";

  private final Scene scene;

  ForgottenStageIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  /** Forgets to complete the stage of some notes. */
  @EventHandlers(id = "forgetful", topics = TOPIC)
  static final class Forgetful {
    final List<String> begun = new CopyOnWriteArrayList<>();

    @Handles(Scene.NOTED)
    CompletionStage<Void> noted(Note note) {
      begun.add(note.text());
      return note.text().equals("forgotten")
          ? new CompletableFuture<>()
          : CompletableFuture.completedFuture(null);
    }
  }

  @Test
  void costsItsEventTheLeaseAndThenItsAttemptsAndTheKeyGoesOn() {
    scene.kafka().createTopic(TOPIC, 1);
    eventually().ignoreExceptions().until(() -> scene.kafka().endOffsets(TOPIC).size() == 1);
    scene
        .publisher()
        .publish(TOPIC, List.of(Scene.note("a", "forgotten"), Scene.note("a", "next")));
    Forgetful handlers = new Forgetful();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(GroupProtocol.CONSUMER, handlers)
                .lease(LeasePolicy.builder().maximum(Duration.ofMillis(200)).build())
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(2)
                        .initialDelay(Duration.ofMillis(5))
                        .build()));
    eventually().until(() -> scene.committed(TOPIC, 0) == 2);

    assertThat(handlers.begun).containsExactly("forgotten", "forgotten", "next");
    assertThat(consumer.counts().applied()).isEqualTo(1);
    ConsumerRecord<byte[], byte[]> letter =
        scene.collector().awaitCount(scene.deadLetters(TOPIC), 1).get(0);
    assertThat(DeadLetter.header(letter, "dlq_reason")).isEqualTo("ATTEMPTS_EXHAUSTED");
    assertThat(DeadLetter.header(letter, "dlq_exception"))
        .isEqualTo(LeaseLostException.class.getName());
  }
}
