package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.EventHandlers;
import dev.onceward.consumer.Handles;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that return a stage. */
@EngineTest
class AsynchronousIT {

  static final String ENDINGS = "it.async.endings.events";
  static final String WAITING = "it.async.waiting.events";

  private final Scene scene;

  AsynchronousIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  /** Ends in the way that the note asks for. */
  @EventHandlers(id = "endings", topics = ENDINGS)
  static final class Endings {
    final List<String> begun = new CopyOnWriteArrayList<>();

    private static final Map<String, Supplier<CompletionStage<String>>> WAYS =
        Map.of(
            "ok", () -> CompletableFuture.supplyAsync(() -> "ok"),
            "fails", () -> CompletableFuture.failedFuture(new IOException("fails")),
            "wrapped",
                () ->
                    CompletableFuture.failedFuture(
                        new CompletionException(new IOException("wrapped"))),
            "error", () -> CompletableFuture.failedFuture(new AssertionError("error")),
            "cancelled", AsynchronousIT::cancelled);

    @Handles(Scene.NOTED)
    CompletionStage<String> noted(Note note) {
      begun.add(note.text());
      Supplier<CompletionStage<String>> way = WAYS.get(note.text());
      if (way == null) {
        throw new IllegalStateException("before there is a stage");
      }
      return way.get();
    }
  }

  private static CompletionStage<String> cancelled() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    stage.cancel(false);
    return stage;
  }

  @Test
  void endWithTheirStageAndFailWithItsCause() {
    createTopic(ENDINGS);
    List<String> endings = List.of("ok", "fails", "wrapped", "error", "cancelled", "throws");
    for (String ending : endings) {
      scene.publisher().publish(ENDINGS, Scene.note("one key", ending));
    }
    scene.publisher().publish(ENDINGS, Scene.note("one key", "last", "ok"));
    Endings handlers = new Endings();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(GroupProtocol.CONSUMER, handlers)
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(2)
                        .initialDelay(Duration.ofMillis(5))
                        .build()));
    eventually().until(() -> consumer.counts().done() == 7);

    assertThat(consumer.counts().applied()).isEqualTo(2);
    assertThat(consumer.counts().retries()).isEqualTo(5);
    assertThat(handlers.begun)
        .containsExactly(
            "ok",
            "fails",
            "fails",
            "wrapped",
            "wrapped",
            "error",
            "error",
            "cancelled",
            "cancelled",
            "throws",
            "throws",
            "ok");
    assertThat(scene.collector().awaitCount(scene.deadLetters(ENDINGS), 5))
        .extracting(letter -> DeadLetter.header(letter, "dlq_exception"))
        .containsExactly(
            "java.io.IOException",
            "java.io.IOException",
            "java.lang.AssertionError",
            "java.util.concurrent.CancellationException",
            "java.lang.IllegalStateException");
  }

  /** Gives out stages that the test completes. */
  @EventHandlers(id = "waiting", topics = WAITING)
  static final class Waiting {
    final Map<String, CompletableFuture<Void>> stages = new ConcurrentHashMap<>();

    @Handles(Scene.NOTED)
    CompletionStage<Void> noted(Note note) {
      return stages.computeIfAbsent(note.text(), text -> new CompletableFuture<>());
    }
  }

  @Test
  void holdTheirKeyTheirOffsetAndTheirPlaceUntilTheStageIsDone() {
    createTopic(WAITING);
    scene
        .publisher()
        .publish(
            WAITING,
            List.of(
                Scene.note("a", "a1"),
                Scene.note("a", "a2"),
                Scene.note("b", "b1"),
                Scene.note("c", "c1")));
    Waiting handlers = new Waiting();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(GroupProtocol.CONSUMER, handlers)
                .concurrency(2)
                .drainBudget(Duration.ofSeconds(1)));
    eventually().until(() -> handlers.stages.size() == 2);
    // neither the key nor the bound on handlers lets a third begin
    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(60))
        .until(() -> handlers.stages.keySet().equals(java.util.Set.of("a1", "b1")));
    complete(handlers, "b1");
    eventually().until(() -> handlers.stages.containsKey("c1"));
    assertThat(scene.committed(WAITING, 0)).isLessThanOrEqualTo(0);
    complete(handlers, "a1");
    eventually().until(() -> scene.committed(WAITING, 0) == 1);
    eventually().until(() -> handlers.stages.containsKey("a2"));

    // c1 and a2 never complete: the stop waits no longer than its budget, and leaves them alone
    consumer.close();
    assertThat(handlers.stages.get("a2")).isNotDone();
    assertThat(handlers.stages.get("c1")).isNotDone();
    assertThat(scene.committed(WAITING, 0)).isEqualTo(1);
    assertThat(consumer.counts().applied()).isEqualTo(2);
    assertThat(consumer.counts().deadLettered()).isZero();
  }

  private static void complete(Waiting handlers, String text) {
    CompletableFuture<Void> stage = handlers.stages.get(text);
    assertThat(stage).isNotNull();
    stage.complete(null);
  }

  private void createTopic(String topic) {
    scene.kafka().createTopic(topic, 1);
    eventually().ignoreExceptions().until(() -> !scene.kafka().endOffsets(topic).isEmpty());
  }
}
