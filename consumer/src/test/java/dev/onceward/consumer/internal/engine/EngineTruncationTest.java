package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Logs that are cut off under the consumer, as an unclean election of a leader does it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineTruncationTest {

  // KIP-320: with a reset policy the client goes on at the offset at which the logs diverge
  @Test
  void whatIsUnfinishedBelowTheCutIsNotLost() {
    AtomicBoolean cut = new AtomicBoolean();
    CountDownLatch gate = new CountDownLatch(1);
    try (EngineLife life =
        EngineLife.builder()
            .drainBudget(Duration.ofMillis(100))
            .handler(
                delivery -> {
                  if (delivery.offset() == 2 && !cut.get()) {
                    gate.await();
                  }
                })
            .build()) {
      life.append(0, 10, 10);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      eventually().until(() -> life.truth().unfinished() == 1);
      life.cutOff(0, 6);
      cut.set(true);
      for (int offset = 6; offset < 9; offset++) {
        life.append(0, offset, "new-" + offset, 2);
      }

      life.awaitComplete(1);
      assertThat(life.truth().finished(life.partition(0))).isEqualTo(9);
      for (long offset : List.of(0L, 1L, 3L, 4L, 5L)) {
        assertThat(life.truth().attempts(life.partition(0), offset)).as("%d", offset).hasSize(1);
      }
      for (long offset : List.of(6L, 7L, 8L)) {
        assertThat(life.truth().attempts(life.partition(0), offset)).as("%d", offset).hasSize(2);
      }
      life.stop();
      life.assertNoViolation();
    }
  }

  @Test
  void aLogThatBeginsAnewIsReadFromItsBeginning() {
    try (EngineLife life = EngineLife.builder().build()) {
      life.append(0, 10, 10);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      // committed too: a commit under way cannot know of the cut
      life.awaitComplete(1);
      life.cutOff(0, 0);
      life.append(0, 0, "new-0", 0);
      life.append(0, 1, "new-1", 0);

      life.awaitComplete(1);
      assertThat(life.truth().attempts(life.partition(0), 1)).containsExactly(1, 1);
      life.stop();
      life.assertNoViolation();
    }
  }
}
