package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that fail, and records that stand still, among others that do not. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineFailingRecordsTest {

  // spring-kafka #4504: of two records that failed in one poll one was skipped in silence
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void allThatFailInOnePollAreRetriedAndThenDeadLettered(int concurrency) {
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(concurrency)
            .handler(
                delivery -> {
                  if (delivery.offset() % 3 != 0) {
                    throw new IOException("never");
                  }
                })
            .build()) {
      life.append(0, 12, 12);
      life.append(1, 12, 4);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      life.awaitComplete(2);

      for (TopicPartition id : life.partitions(2)) {
        for (int offset = 0; offset < 12; offset++) {
          List<Integer> attempts = life.truth().attempts(id, offset);
          if (offset % 3 == 0) {
            assertThat(attempts).as("%s@%d", id, offset).containsExactly(1);
          } else if (id.partition() == 0 || attempts.size() > 1) {
            assertThat(attempts).as("%s@%d", id, offset).containsExactly(1, 2, 3);
          } else {
            // of a key whose record before it was given up, one attempt is enough
            assertThat(attempts).as("%s@%d", id, offset).containsExactly(1);
          }
        }
      }
      assertThat(life.letters()).hasSize(16);
      assertThat(life.counts().deadLettered()).isEqualTo(16);
      assertThat(life.counts().applied()).isEqualTo(8);
      life.stop();
      life.assertNoViolation();
    }
  }

  // spring-kafka #4371, #1237, micronaut #467: the attempts were counted by thread, and a healthy
  // partition reset those of a failing one, which so never reached the dead letters
  @Test
  void attemptsAreCountedByRecordWhateverSucceedsOnTheSameThread() {
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(1)
            .retryPolicy(
                RetryPolicy.builder()
                    .maxAttempts(5)
                    .initialDelay(Duration.ofMillis(2))
                    .maxDelay(Duration.ofMillis(4))
                    .build())
            .handler(
                delivery -> {
                  if (delivery.partition() == 0 && delivery.offset() == 0) {
                    throw new IOException("never");
                  }
                  Thread.sleep(1);
                })
            .build()) {
      life.append(0, 40, 8);
      life.append(1, 40, 8);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      life.awaitComplete(2);

      assertThat(life.truth().attempts(life.partition(0), 0)).containsExactly(1, 2, 3, 4, 5);
      assertThat(life.letters()).hasSize(1);
      assertThat(life.counts().applied()).isEqualTo(79);
      life.stop();
      life.assertNoViolation();
    }
  }

  // spring-kafka #4465, #3638: under a storm of failures attempts were without bound
  @Test
  void attemptsAreBoundedWhenEverythingFails() {
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(8)
            .handler(
                delivery -> {
                  throw new IOException("never");
                })
            .build()) {
      life.append(0, 200, 40);
      life.append(1, 200, 40);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      life.awaitComplete(2);

      assertThat(life.counts().deadLettered()).isEqualTo(400);
      assertThat(life.truth().begunByPlace().values()).allMatch(times -> times <= 3);
      life.stop();
      life.assertNoViolation();
    }
  }

  // spring-kafka #4258, #4269: gaps between offsets that were done out of order stopped the
  // consumer for ever; parallel-consumer #329: so did the markers of transactions
  @Test
  void gapsBetweenOffsetsDoneOutOfOrderHoldUpNothing() {
    CountDownLatch gate = new CountDownLatch(1);
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(60, 10)
            .handler(
                delivery -> {
                  if (delivery.offset() == 3) {
                    gate.await();
                  }
                })
            .build()) {
      long offset = 3;
      for (int i = 0; i < 50; i++) {
        life.append(0, offset, "key-" + i % 25);
        offset += 1 + i % 7 * 11;
      }
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      // the second record of the held key waits behind it
      eventually().until(() -> life.truth().unfinished() == 2);
      assertThat(life.consumer().committedOffset(life.partition(0))).isLessThanOrEqualTo(3);
      gate.countDown();

      life.awaitComplete(1);
      eventually().until(() -> life.health().inFlight() == 0);
      assertThat(life.truth().begunByPlace().values()).allMatch(times -> times == 1);
      life.stop();
      life.assertNoViolation();
    }
  }

  // parallel-consumer #832, #716: what waited behind one stuck record was read without bound, and
  // the count of what is in flight went below zero
  @Test
  void behindOneStuckRecordTheOthersGoOnAndTheCountStaysRight() {
    int behind = 150_000;
    CountDownLatch gate = new CountDownLatch(1);
    AtomicLong least = new AtomicLong();
    AtomicLong most = new AtomicLong();
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(2_000, 500)
            .handler(
                delivery -> {
                  if (delivery.offset() == 0) {
                    gate.await();
                  }
                })
            .build()) {
      life.append(0, 0, "stuck");
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      AtomicLong last = new AtomicLong(-1);
      for (int i = 1; i <= behind; i++) {
        life.append(0, i, "key-" + i % 1_000);
      }
      await()
          .during(Duration.ofMillis(500))
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                long inFlight = life.health().inFlight();
                least.accumulateAndGet(inFlight, Math::min);
                most.accumulateAndGet(inFlight, Math::max);
                long now = life.truth().returned();
                return last.getAndSet(now) == now;
              });
      assertThat(last.get()).as("done behind the stuck one").isEqualTo(behind);
      assertThat(least.get()).isNotNegative();
      assertThat(most.get()).isLessThanOrEqualTo(2_500);
      assertThat(life.consumer().committedOffset(life.partition(0))).isZero();
      gate.countDown();
      await().atMost(Duration.ofSeconds(60)).until(() -> life.isComplete(1));
      life.stop();
      life.assertNoViolation();
    }
  }

  // decaton #265 (PR#237): keys were in the log
  @Test
  void neitherKeyNorPayloadIsInTheLogOrInTheProblems() {
    AtomicInteger refused = new AtomicInteger();
    try (EngineLife life =
        EngineLife.builder()
            .sender(
                letter ->
                    refused.getAndIncrement() == 0
                        ? CompletableFuture.failedFuture(new TimeoutException("refused"))
                        : CompletableFuture.completedFuture(null))
            .handler(
                delivery -> {
                  throw new IOException("never");
                })
            .build()) {
      life.append(0, 0, "secret-key");
      life.append(0, 1, "secret-key");
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      eventually().until(() -> !life.health().problems().isEmpty());
      assertThat(life.health().problems()).noneMatch(line -> line.contains("secret-key"));
      life.awaitComplete(1);

      assertThat(life.log().tell(life.topic(), thrown -> false)).as("something is told").isTrue();
      assertThat(
              life.log()
                  .tell("secret-key", thrown -> String.valueOf(thrown).contains("secret-key")))
          .isFalse();
      life.stop();
    }
  }
}
