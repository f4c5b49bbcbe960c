package dev.onceward.it.guarantee;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Half of the keys fail for ever. The others go on as if nothing was: what waits for its retry must
 * not fill what may be in flight (parallel-consumer fork#487, #857).
 */
@EngineTest
class FailingKeysIT {

  private static final int PARTITIONS = 4;
  private static final int KEYS = 200;
  private static final int BATCH = 200;
  private static final double KEPT = 0.8;

  private final Scene scene;

  FailingKeysIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  /** What a run showed. */
  private record Seen(double healthyPerSecond, boolean saidWhy, int badTries) {}

  /** What the throughput rests on: only the first records of a failing key use all their tries. */
  @Test
  void keysThatFailForEverDoNotUseUpAllTheirTriesForEachRecord() {
    RetryPolicy retries =
        RetryPolicy.builder()
            .maxAttempts(10)
            .initialDelay(Duration.ofMillis(20))
            .maxDelay(Duration.ofMillis(50))
            .build();
    int records = 12_000;
    Seen half = run("half", true, retries, 500, records, Integer.MAX_VALUE);

    assertThat(half.healthyPerSecond()).isPositive();
    assertThat(half.badTries()).isLessThan(records / 2 * 5);
  }

  /** With the defaults: the failing keys alone would fill what may be in flight in a minute. */
  @Test
  @ChaosTest
  void healthyKeysKeepTheirThroughputWithTheDefaultRetryPolicy() {
    int records = 60_000;
    Seen none = run("none", false, RetryPolicy.standard(), 10_000, records, 400);
    Seen half = run("half", true, RetryPolicy.standard(), 10_000, records, 400);
    report(none, half);

    assertThat(half.healthyPerSecond()).isGreaterThan(KEPT * none.healthyPerSecond());
    assertThat(half.saidWhy()).as("health names what is held by a retry").isTrue();
  }

  @Test
  void healthSaysThatAKeyIsHeldByItsRetry() {
    String topic = scene.topic(1);
    scene.publisher().publish(topic, Scene.note("bad", "event-1"));
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    Scene.notes(
                        topic,
                        (note, delivery) -> {
                          throw new IOException("for ever");
                        }))
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(1_000)
                        .initialDelay(Duration.ofSeconds(20))
                        .build()));

    eventually().untilAsserted(() -> assertThat(saysWhy(consumer)).isTrue());
  }

  private static boolean saysWhy(EventConsumer consumer) {
    // the gate at which a record is held is part of what health prints
    return consumer.health().toString().contains("RETRY");
  }

  private static void report(Seen none, Seen half) {
    System.out.printf(
        "healthy keys: %.0f/s when none fails, %.0f/s (%.0f %%) when half of the keys fail%n",
        none.healthyPerSecond(),
        half.healthyPerSecond(),
        100 * half.healthyPerSecond() / none.healthyPerSecond());
  }

  /**
   * Runs until all healthy records are handled, or for three times as long as they should take.
   *
   * @param perSecond how fast they are published
   */
  private Seen run(
      String name,
      boolean halfFails,
      RetryPolicy retries,
      int inFlight,
      int records,
      int perSecond) {
    String topic = scene.topic(name, PARTITIONS);
    AtomicInteger healthy = new AtomicInteger();
    AtomicInteger badTries = new AtomicInteger();
    AtomicLong begin = new AtomicLong();
    AtomicLong last = new AtomicLong();
    AtomicBoolean ended = new AtomicBoolean();
    AtomicBoolean saidWhy = new AtomicBoolean();
    CompletableFuture<Void> load =
        Scene.inBackground(() -> publish(topic, records, perSecond, ended));
    EventConsumer consumer =
        scene
            .consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(
                    topic,
                    (note, delivery) -> {
                      begin.compareAndSet(0, System.nanoTime());
                      Thread.sleep(2);
                      if (isBad(note.text())) {
                        badTries.incrementAndGet();
                        if (halfFails) {
                          throw new IOException("for ever");
                        }
                        return;
                      }
                      healthy.incrementAndGet();
                      last.set(System.nanoTime());
                    }))
            .group(scene.group() + "-" + name)
            .retryPolicy(retries)
            .concurrency(16)
            .maxInFlightRecords(inFlight)
            .build();
    try (consumer) {
      consumer.start();
      // far longer than the undisturbed run takes
      Duration longest = Duration.ofSeconds(10 + 3L * records / Math.min(perSecond, 2_000));
      long deadline = System.nanoTime() + longest.toNanos();
      eventually()
          .atMost(longest.plusMinutes(1))
          .until(
              () -> {
                saidWhy.compareAndSet(false, saysWhy(consumer));
                return healthy.get() == records / 2 || System.nanoTime() - deadline > 0;
              });
      ended.set(true);
      load.join();
      long end = healthy.get() == records / 2 ? last.get() : System.nanoTime();
      double seconds = (end - begin.get()) / 1e9;
      return new Seen(healthy.get() / seconds, saidWhy.get(), badTries.get());
    }
  }

  private static boolean isBad(String text) {
    return Integer.parseInt(text) % 2 == 0;
  }

  private void publish(String topic, int records, int perSecond, AtomicBoolean ended) {
    long begin = System.nanoTime();
    int next = 0;
    while (next < records && !ended.get()) {
      List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
      for (int i = 0; i < BATCH; i++, next++) {
        int key = next % KEYS;
        batch.add(
            Scene.record(
                topic,
                key / 2 % PARTITIONS,
                Scene.note("key-" + key, "event-" + next, Integer.toString(key))));
      }
      scene.publisher().sendAll(batch);
      long due = begin + Duration.ofSeconds(1).toNanos() * next / perSecond;
      eventually().until(() -> ended.get() || System.nanoTime() - due >= 0);
    }
  }
}
