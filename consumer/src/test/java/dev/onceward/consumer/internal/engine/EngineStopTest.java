package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.ConsumerHealth.State;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is told of a stop that does not end well. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineStopTest {

  private final CountDownLatch gate = new CountDownLatch(1);

  @Test
  void handlersThatAreInterruptedAreNamedAndHoldNothingUpAfterwards() {
    try (EngineLife life =
        EngineLife.builder()
            .drainBudget(Duration.ofMillis(100))
            .handler(
                delivery -> {
                  if (delivery.offset() == 2) {
                    gate.await();
                  }
                })
            .build()) {
      life.append(0, 5, 5);
      life.consumer().rebalanceTo(life.partitions(1));
      assertThat(life.health().state()).isEqualTo(State.RUNNING);
      life.start();
      eventually().until(() -> life.truth().returned() == 4);
      life.stop();

      assertThat(life.log().tell("did not finish within", thrown -> false)).isTrue();
      assertThat(life.log().tell("@2", thrown -> false)).isTrue();
      assertThat(life.health().state()).isEqualTo(State.STOPPED);
      assertThat(life.health().problems()).isEmpty();
      assertThat(life.health().held()).isEmpty();
      life.assertNoViolation();
    }
  }
}
