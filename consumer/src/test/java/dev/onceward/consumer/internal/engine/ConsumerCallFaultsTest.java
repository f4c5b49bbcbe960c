package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.ConsumerError.Kind.ERROR;
import static dev.onceward.consumer.internal.engine.ConsumerError.Kind.LASTING;
import static dev.onceward.consumer.internal.engine.ConsumerError.Kind.OF_THE_GROUP;
import static dev.onceward.consumer.internal.engine.ConsumerError.Kind.PASSING;
import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.consumer.ConsumerHealth.State;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a call to the Kafka consumer throws, at whichever call: the engine tries again and says
 * so meanwhile, or it fails with its cause in health and log. It is never silent, never loops hot,
 * loses nothing and commits nothing that is not done.
 */
// parallel-consumer #857 (its fork's #100), decaton #201 and #16: an exception of one call ended
// the thread, and the consumer stood still in silence
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsumerCallFaultsTest {

  private static final int RECORDS = 40;
  private static final Duration NEVER = Duration.ofHours(1);

  /** Far more often than this is a hot loop; the engine's own back-offs are far below. */
  private static final int MOST_HITS_IN_A_QUARTER_SECOND = 25;

  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicBoolean held = new AtomicBoolean();
  private final AtomicBoolean interrupted = new AtomicBoolean();

  static Stream<Arguments> faultsWhileItRuns() {
    return faults(
        ConsumerCall.SUBSCRIBE,
        ConsumerCall.POLL,
        ConsumerCall.PAUSE,
        ConsumerCall.RESUME,
        ConsumerCall.COMMITTED,
        ConsumerCall.POSITION,
        ConsumerCall.GROUP_METADATA,
        ConsumerCall.COMMIT_ASYNC,
        ConsumerCall.COMMIT_ASYNC_ANSWER);
  }

  static Stream<Arguments> faultsOnRevoke() {
    return faults(ConsumerCall.COMMIT_SYNC_ON_REVOKE);
  }

  static Stream<Arguments> faultsOnStop() {
    return faults(ConsumerCall.COMMIT_SYNC_ON_STOP, ConsumerCall.CLOSE);
  }

  /** Every error at each of the calls, as far as the engine makes the call at all. */
  private static Stream<Arguments> faults(ConsumerCall... calls) {
    Set<String> made = Calls.MADE;
    return Arrays.stream(calls)
        .filter(call -> made.contains(call.method()))
        .flatMap(
            call ->
                Arrays.stream(ConsumerError.values())
                    // an answer is an Exception by its type
                    .filter(e -> call != ConsumerCall.COMMIT_ASYNC_ANSWER || e.kind() != ERROR)
                    .map(error -> Arguments.of(call, error)));
  }

  @Test
  void everyCallThatTheEngineMakesIsMadeToFail() {
    List<String> known = Arrays.stream(ConsumerCall.values()).map(ConsumerCall::method).toList();
    assertThat(known).as("add the call to ConsumerCall").containsAll(Calls.MADE);
    assertThat(Calls.MADE)
        .contains("subscribe", "poll", "pause", "resume", "commitAsync", "commitSync", "close");
    // a misspelt call would never fail
    assertThat(Arrays.stream(Consumer.class.getMethods()).map(method -> method.getName()))
        .containsAll(known);
  }

  @ParameterizedTest
  @MethodSource("faultsWhileItRuns")
  void isTriedAgainOrFailsTheConsumerLoudly(ConsumerCall call, ConsumerError error) {
    try (EngineLife life = life(Duration.ofMillis(20))) {
      life.consumer().rebalanceTo(life.partitions(2));
      if (call == ConsumerCall.POLL) {
        life.start();
        eventually().until(() -> life.truth().returned() >= 10 && held.get());
        life.calls().fail(call, error, life.topic());
      } else {
        life.calls().fail(call, error, life.topic());
        life.start();
      }
      if (call == ConsumerCall.RESUME) {
        eventually().until(() -> !life.consumer().paused().isEmpty());
        gate.countDown();
      }
      eventually().until(() -> life.hasFailed() || life.calls().hits() >= 2);

      if (life.hasFailed()) {
        assertThat(mayFail(call, error)).as("failed instead of trying again").isTrue();
        assertFailedLoudly(life, error);
      } else {
        assertThat(mayTryAgain(call, error)).as("tried again what nothing can mend").isTrue();
        assertTriesAgainVisiblyAndGoesOn(life, call, error);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("faultsOnRevoke")
  void givesThePartitionUpWithoutLossOrFailsTheConsumerLoudly(
      ConsumerCall call, ConsumerError error) {
    try (EngineLife life = life(NEVER)) {
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      eventually().until(() -> life.truth().finished(life.partition(1)) == RECORDS);
      life.calls().fail(call, error, life.topic());
      life.consumer().rebalanceTo(life.partitions(1));
      eventually().until(() -> life.hasFailed() || life.health().assignedPartitions() == 1);

      assertThat(life.calls().hits()).isBetween(1, 500);
      if (!life.hasFailed()) {
        assertThat(error.kind()).isNotEqualTo(ERROR);
      }
      assertThat(life.log().tell(life.topic(), life.calls()::hasThrown)).as("a log line").isTrue();
      life.calls().heal();
      long again = RECORDS - life.consumer().committedOffset(life.partition(1));
      life.consumer().rebalanceTo(life.partitions(2));
      gate.countDown();
      eventually()
          .until(
              () ->
                  life.hasFailed()
                      || life.truth().returned() + life.counts().alreadyDone()
                          == 2 * RECORDS + again);
      if (life.hasFailed()) {
        assertThat(error.kind()).isNotIn(PASSING, OF_THE_GROUP);
        assertThat(life.health().failure()).isPresent();
        assertNothingRunsAnyMore(life);
      } else {
        life.stop();
        assertThat(life.isComplete(2)).isTrue();
        assertThat(life.health().state()).isEqualTo(State.STOPPED);
      }
      life.assertNoViolation();
    }
  }

  @ParameterizedTest
  @MethodSource("faultsOnStop")
  void endsInTimeAndSaysSo(ConsumerCall call, ConsumerError error) {
    try (EngineLife life = life(NEVER)) {
      gate.countDown();
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      eventually().until(() -> life.truth().unfinished() == 0);
      life.calls().fail(call, error, life.topic());
      life.engine().stop();
      boolean passes = call == ConsumerCall.COMMIT_SYNC_ON_STOP && mustBeTriedAgain(error);
      if (passes) {
        eventually().until(() -> life.calls().hits() >= 2);
        life.calls().heal();
      }
      eventually().until(life::hasEnded);

      life.assertNoViolation();
      assertNothingRunsAnyMore(life);
      assertThat(life.health().live()).isFalse();
      if (passes) {
        assertThat(life.isComplete(2)).as("everything is committed").isTrue();
        assertThat(life.health().state()).isEqualTo(State.STOPPED);
      } else {
        assertThat(life.calls().hits()).isBetween(1, 100);
        assertThat(life.log().tell(life.topic(), life.calls()::hasThrown))
            .as("a log line")
            .isTrue();
        assertThat(life.health().state()).isIn(State.STOPPED, State.FAILED);
      }
      if (call == ConsumerCall.COMMIT_SYNC_ON_STOP) {
        assertThat(life.consumer().closed()).isTrue();
      } else {
        assertThat(life.isComplete(2)).as("committed before the close").isTrue();
      }
    }
  }

  private static boolean mustBeTriedAgain(ConsumerError error) {
    return error.kind() == PASSING || error == ConsumerError.REBALANCE_IN_PROGRESS;
  }

  private static boolean mayFail(ConsumerCall call, ConsumerError error) {
    return switch (call) {
      // where nothing waits for the broker, the only errors there are, are errors in the program
      case SUBSCRIBE, PAUSE, RESUME -> true;
      case COMMIT_ASYNC, COMMIT_ASYNC_ANSWER ->
          error.kind() != PASSING && error.kind() != OF_THE_GROUP;
      default -> error.kind() != PASSING;
    };
  }

  private static boolean mayTryAgain(ConsumerCall call, ConsumerError error) {
    return error.kind() != ERROR && !(call == ConsumerCall.POLL && error.kind() == LASTING);
  }

  private void assertFailedLoudly(EngineLife life, ConsumerError error) {
    eventually().until(life::hasEnded);
    ConsumerHealth health = life.health();
    assertThat(health.state()).isEqualTo(State.FAILED);
    assertThat(health.live()).isFalse();
    assertThat(health.ready()).isFalse();
    assertThat(health.failure())
        .hasValueSatisfying(
            failure -> assertThat(isCause(life, error, failure)).as("%s", failure).isTrue());
    assertThat(life.log().tell(Level.SEVERE, thrown -> isCause(life, error, thrown)))
        .as("in the log")
        .isTrue();
    if (held.get() && gate.getCount() > 0) {
      eventually().untilTrue(interrupted);
    }
    assertNothingRunsAnyMore(life);
    assertThat(life.consumer().closed()).as("the consumer is closed").isTrue();
    life.assertNoViolation();
  }

  /** An interrupt stays on its thread, so that what fails may be the next poll. */
  private static boolean isCause(
      EngineLife life, ConsumerError error, @Nullable Throwable failure) {
    return life.calls().hasThrown(failure)
        || (error == ConsumerError.INTERRUPT && failure instanceof InterruptException);
  }

  private static void assertNothingRunsAnyMore(EngineLife life) {
    eventually().until(() -> life.truth().running() == 0);
    int begun = life.truth().begun();
    await()
        .during(Duration.ofMillis(30))
        .atMost(Duration.ofSeconds(10))
        .until(() -> life.truth().begun() == begun);
  }

  private void assertTriesAgainVisiblyAndGoesOn(
      EngineLife life, ConsumerCall call, ConsumerError error) {
    // that a rebalance puts a commit off is nothing to worry anyone with
    if (!(call.isCommit() && error == ConsumerError.REBALANCE_IN_PROGRESS)) {
      eventually().until(() -> !life.health().problems().isEmpty());
    }
    int hits = life.calls().hits();
    await()
        .during(Duration.ofMillis(250))
        .atMost(Duration.ofSeconds(10))
        .until(() -> life.health().state() == State.RUNNING);
    // the wait may have taken longer than asked for, so this is generous
    assertThat(life.calls().hits() - hits).isLessThan(4 * MOST_HITS_IN_A_QUARTER_SECOND);
    if (call.isCommit()) {
      // without a commit that says so nobody would know who was at work when the process dies
      assertThat(life.truth().begun()).as("begun before the first commit").isZero();
    }
    life.calls().heal();
    gate.countDown();

    eventually().until(() -> life.isComplete(2));
    eventually().until(() -> life.health().problems().isEmpty());
    assertThat(life.truth().begunByPlace()).hasSize(2 * RECORDS).allSatisfy((p, n) -> once(n));
    assertThat(life.health().failure()).isEmpty();
    life.stop();
    assertThat(life.health().state()).isEqualTo(State.STOPPED);
    assertThat(life.consumer().closed()).isTrue();
    life.assertNoViolation();
  }

  private static void once(int times) {
    assertThat(times).isOne();
  }

  /** The first record of partition 0 waits at the gate; its key's others pile up and pause it. */
  private EngineLife life(Duration commitInterval) {
    EngineLife life =
        EngineLife.builder()
            .inFlight(20, 5)
            .commitInterval(commitInterval)
            .drainBudget(Duration.ofSeconds(1))
            .handler(
                delivery -> {
                  if (delivery.partition() == 0 && delivery.offset() == 0) {
                    held.set(true);
                    try {
                      gate.await();
                    } catch (InterruptedException e) {
                      interrupted.set(true);
                      throw e;
                    }
                  }
                })
            .build();
    life.append(0, RECORDS, 5);
    life.append(1, RECORDS, 5);
    return life;
  }

  /** What lives without faults call, a revocation, a pause and a stop included. */
  private static Set<String> callsOfALife() {
    Set<String> called = new TreeSet<>(callsOfALife(Duration.ofMillis(5)));
    // what is not committed in passing is committed at the end of an ownership
    called.addAll(callsOfALife(NEVER));
    return called;
  }

  private static Set<String> callsOfALife(Duration commitInterval) {
    ConsumerCallFaultsTest test = new ConsumerCallFaultsTest();
    try (EngineLife life = test.life(commitInterval)) {
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      eventually().until(() -> !life.consumer().paused().isEmpty());
      life.consumer().rebalanceTo(life.partitions(1));
      test.gate.countDown();
      eventually().until(() -> life.truth().finished(life.partition(0)) == RECORDS);
      life.consumer().rebalanceTo(life.partitions(2));
      eventually().until(() -> life.truth().unfinished() == 0);
      life.stop();
      return life.calls().called();
    }
  }

  /** Found out once. */
  private static final class Calls {
    static final Set<String> MADE = callsOfALife();
  }
}
