package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;

import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The broker is killed under load and comes back. It is a broker of its own. */
@EngineTest
@TestInstance(Lifecycle.PER_CLASS)
class BrokerCrashIT {

  private final TestDatabase database;
  private ChildKafka kafka;

  BrokerCrashIT(TestDatabase database) {
    this.database = database;
  }

  @BeforeAll
  void startBroker() {
    kafka = ChildKafka.start();
  }

  @AfterAll
  void stopBroker() {
    kafka.close();
  }

  @Test
  void consumersOfAllProtocolsWaitAndGoOnAndEachEventTakesEffectOnce() {
    try (LedgerLife eager = life(GroupProtocol.EAGER);
        LedgerLife cooperative = life(GroupProtocol.COOPERATIVE);
        LedgerLife consumer = life(GroupProtocol.CONSUMER)) {
      eager.awaitMore(50);
      cooperative.awaitMore(50);
      consumer.awaitMore(50);
      kafka.kill();
      // what was read before goes on, and what is done cannot be committed
      awaitProblem(eager);
      awaitProblem(cooperative);
      awaitProblem(consumer);
      kafka.restart();
      eager.assertEachTookEffectOnce();
      cooperative.assertEachTookEffectOnce();
      consumer.assertEachTookEffectOnce();
    }
  }

  private LedgerLife life(GroupProtocol protocol) {
    return new LedgerLife(kafka, database.dataSource(), protocol);
  }

  private static void awaitProblem(LedgerLife life) {
    eventually().until(() -> !life.consumer().health().problems().isEmpty());
  }
}
