package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.ChildKafka;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The brokers go while there is nothing to do: a poll that finds no broker is like one that finds
 * no record. It is a broker of its own.
 */
@EngineTest
@TestInstance(Lifecycle.PER_CLASS)
class IdleConsumerIT {

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
  void anIdleConsumerSaysThatItsBrokersAreGoneAndGoesOnWhenTheyAreBack() {
    try (Scene classic = Scene.on(kafka);
        Scene modern = Scene.on(kafka)) {
      EventConsumer eager = idle(classic, GroupProtocol.EAGER);
      EventConsumer consumer = idle(modern, GroupProtocol.CONSUMER);
      kafka.kill();
      awaitProblem(eager);
      awaitProblem(consumer);
      kafka.restart();
      eventually().until(() -> eager.health().problems().isEmpty());
      eventually().until(() -> consumer.health().problems().isEmpty());
    }
  }

  private static EventConsumer idle(Scene scene, GroupProtocol protocol) {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 1, 1);
    EventConsumer consumer =
        scene.start(scene.consumer(protocol, Scene.notes(topic, (note, delivery) -> {})));
    eventually().until(() -> scene.committed(topic, 0) == 1);
    return consumer;
  }

  private static void awaitProblem(EventConsumer consumer) {
    eventually()
        .until(
            () ->
                consumer.health().problems().stream()
                    .anyMatch(problem -> problem.startsWith("group membership")));
  }
}
