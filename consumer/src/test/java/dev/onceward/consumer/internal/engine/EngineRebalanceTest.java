package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that come and go at every moment at which that can hurt. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineRebalanceTest {

  private final CountDownLatch gate = new CountDownLatch(1);

  // parallel-consumer #826 (fix #827): a revocation between a look at the progress and the commit
  // let the commit pass what had been read and not run
  @RepeatedTest(25)
  void aRevocationAfterAnyPollLosesNothing(RepetitionInfo repetition) {
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(20, 3)
            .concurrency(2)
            .commitInterval(Duration.ofMillis(1))
            .handler(delivery -> Thread.sleep(delivery.offset() % 3))
            .build()) {
      life.append(0, 30, 4);
      life.consumer().rebalanceTo(life.partitions(1));
      // the k-th poll, then away, and back a poll later
      for (int i = 1; i < repetition.getCurrentRepetition(); i++) {
        life.consumer().scheduleNopPollTask();
      }
      life.consumer().rebalanceTo(List.of());
      life.consumer().scheduleNopPollTask();
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();

      life.awaitComplete(1);
      // what finished within the budget was committed before the partition went
      assertThat(life.truth().begunByPlace().values()).allMatch(times -> times == 1);
      life.stop();
      life.assertNoViolation();
      assertThat(life.health().failure()).isEmpty();
    }
  }

  // parallel-consumer #547, #606, #680: a count of what is under way leaked when partitions went,
  // until nothing was taken in any more; #843, #433: one record in two threads at once
  @Test
  void countsAreRightAfterAThousandRandomRebalances() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(40, 7)
            .commitInterval(Duration.ofMillis(1))
            .handler(
                delivery -> {
                  if (delivery.offset() % 11 == 3 && delivery.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                  }
                })
            .build()) {
      List<TopicPartition> all = life.partitions(5);
      Map<TopicPartition, Long> next = new HashMap<>();
      life.start();
      for (int i = 0; i < 1_000; i++) {
        List<TopicPartition> some = new ArrayList<>(all);
        Collections.shuffle(some, random);
        List<TopicPartition> chosen = some.subList(0, random.nextInt(all.size() + 1));
        switch (random.nextInt(4)) {
          case 0 -> life.consumer().rebalanceEagerlyTo(chosen);
          case 1 -> life.consumer().lose(chosen);
          default -> life.consumer().rebalanceTo(chosen);
        }
        TopicPartition id = all.get(random.nextInt(all.size()));
        // offsets with gaps, as compaction and transactions leave them
        long offset = next.getOrDefault(id, 0L) + random.nextInt(3);
        next.put(id, offset + 1);
        life.append(id.partition(), offset, "key-" + random.nextInt(6));
        long polls = life.consumer().polls();
        eventually().until(() -> life.hasEnded() || life.consumer().polls() > polls);
      }
      assertThat(life.health().failure()).as("seed %d", seed).isEmpty();
      life.consumer().rebalanceTo(all);

      life.awaitComplete(5);
      eventually().until(() -> life.health().inFlight() == 0);
      assertThat(life.health().assignedPartitions()).isEqualTo(5);
      assertThat(life.counts().applied()).isEqualTo(life.truth().returned());
      assertThat(life.counts().deadLettered()).isZero();
      eventually().until(() -> life.health().problems().isEmpty());
      assertThat(life.consumer().paused()).isEmpty();
      life.stop();
      life.assertNoViolation();
    }
  }

  // parallel-consumer #894: a commit beyond the log, after which the offsets were reset
  @Test
  void withLittleTrafficAndManyRebalancesNoCommitLeavesTheLog() {
    Random random = new Random(894);
    try (EngineLife life = EngineLife.builder().commitInterval(Duration.ofMillis(1)).build()) {
      life.start();
      for (int i = 0; i < 200; i++) {
        life.consumer().rebalanceTo(random.nextBoolean() ? life.partitions(2) : List.of());
        if (i % 20 == 0) {
          life.append(random.nextInt(2), 1, 1);
        }
        long polls = life.consumer().polls();
        eventually().until(() -> life.hasEnded() || life.consumer().polls() > polls + 1);
        for (TopicPartition id : life.partitions(2)) {
          assertThat(life.consumer().committedOffset(id)).isBetween(0L, life.truth().end(id));
        }
      }
      life.consumer().rebalanceTo(life.partitions(2));
      life.awaitComplete(2);
      life.stop();
      life.assertNoViolation();
    }
  }

  // measured with kafka-clients 4.4: in an eager rebalance the client forgets the pause even of
  // partitions that stay; spring-kafka #813, #2222, #2525, #2581
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPauseHoldsOverARebalance(boolean eager) {
    int bound = 30;
    int pollRecords = 10;
    AtomicLong most = new AtomicLong();
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(bound, pollRecords)
            .drainBudget(Duration.ofMillis(20))
            .handler(delivery -> gate.await())
            .build()) {
      life.append(0, 200, 50);
      life.append(1, 200, 50);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      for (int i = 0; i < 5; i++) {
        eventually().until(() -> life.consumer().paused().size() == 2);
        if (eager) {
          life.consumer().rebalanceEagerlyTo(life.partitions(2));
        } else {
          life.consumer().rebalanceTo(life.partitions(1));
          life.consumer().rebalanceTo(life.partitions(2));
        }
        long polls = life.consumer().polls();
        eventually()
            .until(
                () -> {
                  most.accumulateAndGet(life.health().inFlight(), Math::max);
                  return life.consumer().polls() > polls + 10;
                });
      }
      assertThat(most.get()).isPositive().isLessThanOrEqualTo(bound + pollRecords);
      gate.countDown();
      life.awaitComplete(2);
      assertThat(life.health().failure()).isEmpty();
      assertThat(life.consumer().paused()).isEmpty();
      life.stop();
    }
  }

  // decaton PR#88: pause() of a partition that had just been revoked threw; alpakka, pekko #249: a
  // partition stayed paused for ever
  @RepeatedTest(10)
  void aPartitionMayGoWhileItIsPausedOrAboutToBe(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(8, 4)
            .concurrency(2)
            .handler(delivery -> Thread.sleep(0, 200_000))
            .build()) {
      life.append(0, 150, 30);
      life.append(1, 150, 30);
      life.start();
      for (int i = 0; i < 40; i++) {
        List<TopicPartition> some = new ArrayList<>(life.partitions(2));
        Collections.shuffle(some, random);
        life.consumer().rebalanceTo(some.subList(0, random.nextInt(3)));
        long polls = life.consumer().polls() + random.nextInt(4);
        eventually().until(() -> life.hasEnded() || life.consumer().polls() > polls);
      }
      life.consumer().rebalanceTo(life.partitions(2));

      life.awaitComplete(2);
      eventually().until(() -> life.consumer().paused().isEmpty());
      life.stop();
      life.assertNoViolation();
    }
  }

  // alpakka #1166, decaton #23: stops in the midst of a rebalance lost or doubled work
  @ParameterizedTest
  @ValueSource(strings = {"revoke", "revoke all", "assign", "lose"})
  void aStopThatFallsIntoARebalanceEndsCleanly(String rebalance) {
    try (EngineLife life =
        EngineLife.builder()
            .commitInterval(Duration.ofHours(1))
            .concurrency(3)
            .handler(delivery -> Thread.sleep(2))
            .build()) {
      life.append(0, 100, 20);
      life.append(1, 100, 20);
      life.consumer()
          .rebalanceTo(rebalance.equals("assign") ? life.partitions(1) : life.partitions(2));
      life.start();
      eventually().until(() -> life.truth().returned() >= 20);
      Set<String> before = new HashSet<>();
      life.consumer()
          .schedulePollTask(
              () -> {
                // asked for by another thread while this one is inside of a poll
                life.engine().stop();
                before.addAll(life.truth().begunByPlace().keySet());
              });
      switch (rebalance) {
        case "revoke" -> life.consumer().rebalanceTo(life.partitions(1));
        case "revoke all" -> life.consumer().rebalanceTo(List.of());
        case "assign" -> life.consumer().rebalanceTo(life.partitions(2));
        default -> life.consumer().lose(List.of(life.partition(1)));
      }
      eventually().until(life::hasEnded);

      assertThat(before).isNotEmpty();
      assertThat(life.health().state()).isEqualTo(State.STOPPED);
      life.assertNoViolation();
      int begun = life.truth().begun();
      await()
          .during(Duration.ofMillis(50))
          .atMost(Duration.ofSeconds(10))
          .until(() -> life.truth().begun() == begun && life.truth().running() == 0);
      assertThat(life.consumer().committedOffset(life.partition(0))).isPositive();
      assertThat(life.consumer().closed()).isTrue();
    }
  }

  // decaton #98, #118 (PR#174): partitions that stayed were treated as revoked
  @Test
  void whatStaysIsNeitherCancelledNorDeliveredAgain() {
    try (EngineLife life =
        EngineLife.builder()
            .concurrency(10)
            .drainBudget(Duration.ofMillis(50))
            .handler(
                delivery -> {
                  if (delivery.partition() == 0) {
                    gate.await();
                  }
                })
            .build()) {
      life.append(0, 5, 5);
      life.append(1, 5, 5);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      eventually().until(() -> life.truth().running() == 5);
      for (int i = 0; i < 10; i++) {
        life.consumer().rebalanceTo(life.partitions(1));
        life.consumer().rebalanceTo(life.partitions(2));
      }
      long polls = life.consumer().polls();
      eventually().until(() -> life.consumer().polls() > polls + 25);
      gate.countDown();

      life.awaitComplete(2);
      for (int offset = 0; offset < 5; offset++) {
        assertThat(life.truth().attempts(life.partition(0), offset)).containsExactly(1);
      }
      life.stop();
      life.assertNoViolation();
    }
  }

  // spring-kafka #4545: a rebalance during the back-off lost the record
  @ParameterizedTest
  @ValueSource(strings = {"revoke", "lose"})
  void aRecordThatWaitsForItsRetryIsNotLostWithItsPartition(String rebalance) {
    AtomicBoolean back = new AtomicBoolean();
    try (EngineLife life =
        EngineLife.builder()
            .drainBudget(Duration.ofMillis(20))
            .retryPolicy(
                RetryPolicy.builder()
                    .maxAttempts(20)
                    .initialDelay(Duration.ofMillis(200))
                    .maxDelay(Duration.ofMillis(200))
                    .build())
            .handler(
                delivery -> {
                  if (delivery.offset() == 2 && !back.get()) {
                    throw new IllegalStateException("not yet");
                  }
                })
            .build()) {
      life.append(0, 6, 3);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      // the failing one, which has been tried, and the one behind it in its key
      eventually()
          .until(
              () ->
                  life.truth().unfinished() == 2
                      && !life.truth().attempts(life.partition(0), 2).isEmpty());
      if (rebalance.equals("lose")) {
        life.consumer().lose(life.partitions(1));
      } else {
        life.consumer().rebalanceTo(List.of());
      }
      eventually().until(() -> life.health().assignedPartitions() == 0);
      assertThat(life.consumer().committedOffset(life.partition(0))).isLessThanOrEqualTo(2);
      back.set(true);
      life.consumer().rebalanceTo(life.partitions(1));

      life.awaitComplete(1);
      assertThat(life.truth().attempts(life.partition(0), 2)).hasSizeGreaterThanOrEqualTo(2);
      assertThat(life.letters()).isEmpty();
      life.stop();
      life.assertNoViolation();
    }
  }

  // parallel-consumer #843, #433: one record in two threads at once
  @Test
  void aHandlerDeafToInterruptsIsAloneWithItsRecordThoughThePartitionWasLostAndCameBack() {
    try (EngineLife life =
        EngineLife.builder()
            .drainBudget(Duration.ofMillis(20))
            .handler(delivery -> awaitStubbornly())
            .build()) {
      life.append(0, 4, 4);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      eventually().until(() -> life.truth().running() == 4);
      life.consumer().lose(life.partitions(1));
      life.consumer().rebalanceTo(life.partitions(1));
      life.consumer().rebalanceTo(List.of());
      life.consumer().rebalanceTo(life.partitions(1));
      long polls = life.consumer().polls();
      eventually().until(() -> life.consumer().polls() > polls + 20);
      assertThat(life.truth().violations()).isEmpty();
      gate.countDown();

      life.awaitComplete(1);
      life.stop();
      life.assertNoViolation();
    }
  }

  private void awaitStubbornly() {
    boolean opened = false;
    while (!opened) {
      try {
        gate.await();
        opened = true;
      } catch (InterruptedException e) {
        // deaf on purpose: like a call that knows no interrupts
      }
    }
  }
}
