package dev.onceward.it.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.guarantee.DrainWithoutDuplicates.Why;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Members join and leave gracefully every second under load, and their handlers finish within the
 * drain budget: nothing is delivered twice, by whatever protocol.
 */
@EngineTest
class HandOverIT {

  private final KafkaServer kafka;
  private final TestDatabase database;

  HandOverIT(KafkaServer kafka, TestDatabase database) {
    this.kafka = kafka;
    this.database = database;
  }

  @ParameterizedTest
  @EnumSource
  void noRecordIsDeliveredTwiceWhileMembersJoinAndLeave(GroupProtocol protocol) {
    handOver(protocol, 6_000, 800);
  }

  /** As many records as the peers were measured with. */
  @ParameterizedTest
  @EnumSource
  @ChaosTest
  void noneOfSixtyThousandRecordsIsDeliveredTwice(GroupProtocol protocol) {
    handOver(protocol, 60_000, 1_000);
  }

  private void handOver(GroupProtocol protocol, long records, int perSecond) {
    Setup setup = Setup.handOver(protocol, Setup.seedOfThisRun(), records, perSecond);
    try (Trial trial = new Trial(kafka, database, setup)) {
      trial.run();

      for (Why why : Why.values()) {
        assertThat(trial.duplicates(why)).as("duplicates, %s", why).isZero();
      }
      assertThat(trial.deliveries()).isEqualTo(records);
    }
  }
}
