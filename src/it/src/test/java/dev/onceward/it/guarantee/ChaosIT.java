package dev.onceward.it.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All guarantees, over more than ten minutes and a million deliveries in all. */
@OncewardTest
@ChaosTest
class ChaosIT {

  /** Times three protocols: more than ten minutes. */
  private static final Duration AT_LEAST =
      Duration.ofSeconds(Long.getLong("onceward.chaos.seconds", 210));

  /** Times three protocols: more than a million. */
  private static final long DELIVERIES = Long.getLong("onceward.chaos.deliveries", 340_000);

  private final KafkaServer kafka;
  private final TestDatabase database;

  ChaosIT(KafkaServer kafka, TestDatabase database) {
    this.kafka = kafka;
    this.database = database;
  }

  @ParameterizedTest
  @EnumSource
  void allGuaranteesHoldOverHundredsOfThousandsOfDeliveries(GroupProtocol protocol) {
    Setup setup = Setup.chaos(protocol, Setup.seedOfThisRun(), AT_LEAST, DELIVERIES);
    try (Trial trial = new Trial(kafka, database, setup)) {
      trial.run();

      assertThat(trial.deliveries()).isGreaterThanOrEqualTo(DELIVERIES);
    }
  }
}
