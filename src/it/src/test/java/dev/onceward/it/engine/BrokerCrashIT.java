package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.ChildKafka;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The broker is killed and comes back. It is a broker of its own. */
@EngineTest
@TestInstance(Lifecycle.PER_CLASS)
class BrokerCrashIT {

  private static final int RECORDS = 200;

  private ChildKafka kafka;

  @BeforeAll
  void startBroker() {
    kafka = ChildKafka.start();
  }

  @AfterAll
  void stopBroker() {
    kafka.close();
  }

  @Test
  void consumersOfAllProtocolsWaitAndGoOnWithoutLoss() {
    try (Life eager = new Life(GroupProtocol.EAGER);
        Life cooperative = new Life(GroupProtocol.COOPERATIVE);
        Life consumer = new Life(GroupProtocol.CONSUMER)) {
      eager.awaitHandled(20);
      cooperative.awaitHandled(20);
      consumer.awaitHandled(20);
      kafka.kill();
      // what was read before goes on
      eager.awaitHandled(40);
      cooperative.awaitHandled(40);
      consumer.awaitHandled(40);
      kafka.restart();

      eager.assertComplete();
      cooperative.assertComplete();
      consumer.assertComplete();
    }
  }

  private final class Life implements AutoCloseable {
    private final Scene scene = Scene.on(kafka);
    private final Journal journal = new Journal();
    private final EventConsumer consumer;

    Life(GroupProtocol protocol) {
      String topic = scene.topic(1);
      scene.publishNotes(topic, 0, RECORDS, 10);
      consumer =
          scene.start(
              scene
                  .consumer(
                      protocol,
                      Scene.notes(
                          topic, journal.of(protocol.name(), (note, delivery) -> Thread.sleep(20))))
                  .concurrency(2));
    }

    void awaitHandled(int records) {
      eventually().until(() -> journal.succeeded() >= records);
    }

    void assertComplete() {
      eventually().until(() -> scene.committedInAll() == RECORDS);
      assertThat(journal.succeeded()).isEqualTo(RECORDS);
      eventually().until(() -> consumer.health().problems().isEmpty());
      assertThat(consumer.health().state()).isEqualTo(State.RUNNING);
      assertThat(consumer.health().failure()).isEmpty();
    }

    @Override
    public void close() {
      scene.close();
    }
  }
}
