package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many handlers run at once, and on what. */
@EngineTest
class ConcurrencyIT {

  private static final int CONCURRENCY = 4;

  private final Scene scene;
  private final Journal journal = new Journal();

  ConcurrencyIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void neverExceedsItsBoundThoughKeysAndThreadsAreMany() {
    ExecutorService larger = Executors.newFixedThreadPool(32);
    try {
      EventConsumer consumer = startOn(larger, 3, 400);
      eventually().until(() -> consumer.counts().applied() == 1_200);

      assertThat(journal.mostRunning()).isEqualTo(CONCURRENCY);
      journal.assertEachHandledOnce(1_200);
    } finally {
      scene.close();
      larger.shutdownNow();
    }
  }

  @Test
  void holdsOnTheDefaultThreads() {
    EventConsumer consumer = startOn(null, 3, 200);
    eventually().until(() -> consumer.counts().applied() == 600);

    assertThat(journal.mostRunning()).isEqualTo(CONCURRENCY);
  }

  @Test
  void anExecutorThatRejectsTasksIsAskedAgainAndNothingIsLost() {
    ThreadPoolExecutor rejecting =
        new ThreadPoolExecutor(1, 2, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
    Gate gate = new Gate();
    scene.beforeClose(gate::open);
    try {
      String topic = scene.topic(2);
      scene.publishNotes(topic, 0, 100, 100);
      scene.publishNotes(topic, 1, 100, 100);
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(
                      GroupProtocol.CONSUMER,
                      Scene.notes(topic, journal.of("only", (note, delivery) -> gate.await())))
                  .concurrency(CONCURRENCY)
                  .executor(rejecting));
      eventually()
          .until(
              () ->
                  consumer.health().problems().stream()
                      .anyMatch(line -> line.contains("the executor rejects")));
      gate.open();
      eventually().until(() -> consumer.counts().applied() == 200);

      journal.assertEachHandledOnce(200);
      assertThat(journal.mostRunning()).isLessThanOrEqualTo(2);
      eventually().until(() -> scene.committedInAll() == 200);
    } finally {
      scene.close();
      rejecting.shutdownNow();
    }
  }

  @Test
  void anExecutorThatRunsTasksOnItsCallerDoesNotStopThePolling() {
    ThreadPoolExecutor callerRuns =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new ThreadPoolExecutor.CallerRunsPolicy());
    try {
      String topic = scene.topic(1);
      scene.publishNotes(topic, 0, 20, 20);
      Map<String, Object> properties = new HashMap<>(scene.properties(GroupProtocol.CONSUMER));
      properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 3_000);
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(
                      properties,
                      Scene.notes(
                          topic,
                          journal.of(
                              "only",
                              (note, delivery) -> {
                                assertThat(Thread.currentThread().getName()).contains("pool-");
                                Thread.sleep(200);
                              })))
                  .concurrency(CONCURRENCY)
                  .executor(callerRuns));
      eventually().until(() -> consumer.counts().applied() == 20);

      journal.assertEachHandledOnce(20);
    } finally {
      scene.close();
      callerRuns.shutdownNow();
    }
  }

  private EventConsumer startOn(@Nullable ExecutorService executor, int partitions, int each) {
    String topic = scene.topic(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      scene.publishNotes(topic, partition, each, each);
    }
    EventConsumer.Builder builder =
        scene
            .consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(topic, journal.of("only", (note, delivery) -> Thread.sleep(1))))
            .concurrency(CONCURRENCY)
            .commitInterval(Duration.ofMillis(100));
    if (executor != null) {
      builder.executor(executor);
    }
    return scene.start(builder);
  }
}
