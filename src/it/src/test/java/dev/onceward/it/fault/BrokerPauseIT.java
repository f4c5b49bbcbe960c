package dev.onceward.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * A broker that stands still under load and goes on, as after a long pause of its machine: its
 * connections stay open and nothing answers. It is a broker of its own.
 */
// decaton #16: what a call threw after a time-out ended the thread that polls
@EngineTest
@TestInstance(Lifecycle.PER_CLASS)
class BrokerPauseIT {

  private final TestDatabase database;
  private ChildKafka kafka;

  BrokerPauseIT(TestDatabase database) {
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
  void consumersOfAllProtocolsComeBackAfterTwentySecondsAndEachEventTakesEffectOnce() {
    assertComesBackAfter(Duration.ofSeconds(20));
  }

  @Test
  @Tag("chaos")
  void consumersOfAllProtocolsComeBackAfterAMinuteAndEachEventTakesEffectOnce() {
    assertComesBackAfter(Duration.ofSeconds(60));
  }

  private void assertComesBackAfter(Duration pause) {
    try (LedgerLife eager = life(GroupProtocol.EAGER);
        LedgerLife cooperative = life(GroupProtocol.COOPERATIVE);
        LedgerLife consumer = life(GroupProtocol.CONSUMER)) {
      eager.awaitMore(50);
      cooperative.awaitMore(50);
      consumer.awaitMore(50);
      kafka.pause();
      try {
        await()
            .during(pause)
            .atMost(pause.plusSeconds(60))
            .pollInterval(Duration.ofMillis(200))
            .untilAsserted(
                () -> {
                  assertStandsBy(eager);
                  assertStandsBy(cooperative);
                  assertStandsBy(consumer);
                });
      } finally {
        kafka.resume();
      }
      eager.assertEachTookEffectOnce();
      cooperative.assertEachTookEffectOnce();
      consumer.assertEachTookEffectOnce();
    }
  }

  private LedgerLife life(GroupProtocol protocol) {
    return new LedgerLife(kafka, database.dataSource(), protocol);
  }

  private static void assertStandsBy(LedgerLife life) {
    assertThat(life.consumer().health().live()).isTrue();
    assertThat(life.consumer().health().failure()).isEmpty();
  }
}
