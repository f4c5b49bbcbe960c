package dev.onceward.it.guarantee;

import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All guarantees, for some seconds each protocol; {@link ChaosIT} is the long form. */
@EngineTest
class GuaranteeIT {

  private final KafkaServer kafka;
  private final TestDatabase database;

  GuaranteeIT(KafkaServer kafka, TestDatabase database) {
    this.kafka = kafka;
    this.database = database;
  }

  @ParameterizedTest
  @EnumSource
  void allGuaranteesHoldWhileMembersComeAndGoAndRecordsFail(GroupProtocol protocol) {
    try (Trial trial = new Trial(kafka, database, Setup.brief(protocol, Setup.seedOfThisRun()))) {
      trial.run();
    }
  }
}
