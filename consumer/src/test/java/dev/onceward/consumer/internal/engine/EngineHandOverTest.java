package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one owner of a partition leaves to the next, who may be the same engine. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineHandOverTest {

  private final CountDownLatch gate = new CountDownLatch(1);

  @Test
  void anOwnerThatHasReadLittlePassesOnWhatItWasTold() {
    AtomicBoolean back = new AtomicBoolean();
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(1_000, 5)
            .retryPolicy(slowRetries())
            .handler(
                delivery -> {
                  if (delivery.offset() == 0 && !back.get()) {
                    throw new IllegalStateException("not yet");
                  }
                })
            .build()) {
      life.append(0, 40, 40);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      eventually().until(() -> life.truth().unfinished() == 1);
      for (int i = 0; i < 5; i++) {
        // each reads but the first records, and commits
        life.consumer().rebalanceTo(List.of());
        life.consumer().rebalanceTo(life.partitions(1));
      }
      back.set(true);

      life.awaitComplete(1);
      for (int offset = 1; offset < 40; offset++) {
        assertThat(life.truth().attempts(life.partition(0), offset)).as("%d", offset).hasSize(1);
      }
      life.stop();
      life.assertNoViolation();
    }
  }

  // offset.metadata.max.bytes may be anything; 0 forbids notes
  @ParameterizedTest
  @ValueSource(ints = {0, 31, 64, 1_000})
  void aBrokerThatTakesFewCharactersBesideAnOffsetHoldsNothingUp(int maxChars) {
    try (EngineLife life =
        EngineLife.builder()
            .inFlight(100, 5)
            .concurrency(16)
            .handler(
                delivery -> {
                  if (delivery.offset() < 12) {
                    gate.await();
                  }
                })
            .build()) {
      life.consumer().maxMetadata(maxChars);
      life.append(0, 60, 60);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      eventually().until(() -> life.truth().unfinished() == 12);
      life.append(0, 60, 60);
      eventually().until(() -> life.truth().unfinished() == 24);
      gate.countDown();
      life.awaitComplete(1);
      life.append(0, 60, 60);
      life.awaitComplete(1);
      assertThat(life.consumer().paused()).isEmpty();
      life.stop();
      life.assertNoViolation();
    }
  }

  private static RetryPolicy slowRetries() {
    return RetryPolicy.builder()
        .maxAttempts(50)
        .initialDelay(Duration.ofMillis(500))
        .maxDelay(Duration.ofMillis(500))
        .build();
  }
}
