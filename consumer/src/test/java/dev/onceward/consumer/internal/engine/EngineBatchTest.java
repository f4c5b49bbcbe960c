package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.ConsumerHealth.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records that run together, and whose effects are committed together or not at all. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineBatchTest {

  private static final int RECORDS = 600;

  private final CountDownLatch gate = new CountDownLatch(1);

  @AfterEach
  void open() {
    gate.countDown();
  }

  @Test
  void whatIsReadyRunsTogetherEachKeyInOffsetOrderAndNeverMoreThanPermitted() {
    Map<String, Long> last = new ConcurrentHashMap<>();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(3)
            .batches(BatchPolicy.of(20))
            .handler(
                delivery -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  String key =
                      delivery.partition()
                          + new String(
                              Objects.requireNonNull(delivery.record().key()),
                              StandardCharsets.UTF_8);
                  Long before = last.put(key, delivery.offset());
                  assertThat(before == null || before < delivery.offset()).as(key).isTrue();
                  running.decrementAndGet();
                })
            .build()) {
      life.append(0, RECORDS, 7);
      life.append(1, RECORDS, 300);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      life.awaitComplete(2);

      assertThat(life.truth().begun()).isEqualTo(2 * RECORDS);
      assertThat(life.sharedRuns()).anyMatch(run -> run.size() > 10);
      assertThat(life.sharedRuns()).allMatch(run -> run.size() <= 20);
      assertThat(most.get()).isLessThanOrEqualTo(3);
      assertThat(life.counts().applied()).isEqualTo(2 * RECORDS);
      life.stop();
      life.assertNoViolation();
    }
  }

  @Test
  void aPoisonRecordCostsNobodyElseAnAttempt() {
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(2)
            .batches(BatchPolicy.of(50))
            .handler(
                delivery -> {
                  if (delivery.offset() % 100 == 50) {
                    throw new IOException("never");
                  }
                })
            .build()) {
      life.append(0, RECORDS, 200);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      life.awaitComplete(1);

      for (int offset = 0; offset < RECORDS; offset++) {
        List<Integer> attempts = life.truth().attempts(life.partition(0), offset);
        if (offset % 100 == 50) {
          assertThat(attempts).as("%d", offset).endsWith(1, 2, 3);
        } else {
          assertThat(attempts).as("%d", offset).containsOnly(1).hasSizeLessThanOrEqualTo(2);
        }
      }
      assertThat(life.letters()).hasSize(6);
      assertThat(life.counts().applied()).isEqualTo(RECORDS - 6);
      life.stop();
      life.assertNoViolation();
    }
  }

  @Test
  void whatHasFailedOnceRunsByItself() {
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(1)
            .batches(BatchPolicy.of(50))
            .handler(
                delivery -> {
                  if (delivery.offset() == 7 && delivery.attempt() < 3) {
                    throw new IOException("not yet");
                  }
                })
            .build()) {
      life.append(0, 40, 40);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      life.awaitComplete(1);

      assertThat(life.sharedRuns()).filteredOn(run -> run.contains(7L)).hasSizeLessThan(2);
      assertThat(life.truth().attempts(life.partition(0), 7)).endsWith(1, 2, 3);
      life.stop();
      life.assertNoViolation();
    }
  }

  @Test
  void aPartitionThatGoesInTheMidstOfABatchTakesNothingWithItThatIsNotCommitted() {
    AtomicBoolean held = new AtomicBoolean();
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(1)
            .drainBudget(Duration.ofMillis(100))
            .batches(BatchPolicy.of(50))
            .handler(
                delivery -> {
                  if (delivery.partition() == 0
                      && delivery.offset() == 20
                      && held.compareAndSet(false, true)) {
                    gate.await();
                  }
                })
            .build()) {
      life.append(0, 40, 40);
      life.append(1, 40, 40);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      eventually().until(held::get);
      // the handler does not end within the budget, so it is interrupted, and nothing of its batch
      // is committed
      life.consumer().rebalanceTo(List.of(life.partition(1)));
      eventually().until(() -> life.truth().finished(life.partition(1)) == 40);
      life.consumer().rebalanceTo(life.partitions(2));
      life.awaitComplete(2);

      assertThat(life.counts().applied()).isEqualTo(80);
      assertThat(life.letters()).isEmpty();
      life.stop();
      life.assertNoViolation();
    }
  }

  @Test
  void whatRanTogetherWhenItsProcessDiedIsDoneByTheNextWithoutBlame() {
    AtomicBoolean held = new AtomicBoolean();
    EngineLifeBuilder builder =
        EngineLife.builder()
            .concurrency(2)
            .batches(BatchPolicy.of(10))
            .handler(
                delivery -> {
                  if (delivery.offset() == 25 && held.compareAndSet(false, true)) {
                    gate.await();
                  }
                });
    try (EngineLife first = builder.build()) {
      first.append(0, 60, 60);
      first.consumer().rebalanceTo(first.partitions(1));
      first.start();
      eventually().until(held::get);
      first.die();
      try (EngineLife next = builder.after(first).build()) {
        next.consumer().rebalanceTo(next.partitions(1));
        next.start();
        next.awaitComplete(1);
        assertThat(next.letters()).isEmpty();
        next.stop();
        next.assertNoViolation();
      }
    }
  }

  @Test
  void aStopLetsABatchFinishAndLeavesTheRestToTheNext() {
    AtomicBoolean held = new AtomicBoolean();
    EngineLifeBuilder builder =
        EngineLife.builder()
            .concurrency(1)
            .batches(BatchPolicy.of(10))
            .handler(
                delivery -> {
                  if (held.compareAndSet(false, true)) {
                    gate.await();
                  }
                });
    try (EngineLife first = builder.build()) {
      first.append(0, 100, 100);
      first.consumer().rebalanceTo(first.partitions(1));
      first.start();
      eventually().until(held::get);
      first.engine().stop();
      eventually().until(() -> first.health().state() == State.STOPPING);
      long polls = first.consumer().polls();
      eventually().until(() -> first.consumer().polls() > polls + 1);
      gate.countDown();
      eventually().until(first::hasEnded);
      int begun = first.truth().begun();
      assertThat(begun).isLessThan(100);
      assertThat(first.truth().finished(first.partition(0))).isEqualTo(begun);
    }
  }
}
