package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A topic that is deleted and created anew under a running consumer: its offsets count again. */
@EngineTest
class TopicCreatedAnewIT {

  private final Scene scene;
  private final Gate gate = new Gate();
  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  TopicCreatedAnewIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
    scene.beforeClose(gate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void theNewOffsetsAreCommitted(GroupProtocol protocol) {
    String topic = scene.topic(1);
    start(protocol, topic);
    scene.publishNotes(topic, 0, 500, 10);
    eventually().until(() -> scene.committed(topic, 0) == 500);

    handled.clear();
    createAnew(topic);
    publishUntilHandled(topic);

    eventually().until(() -> scene.committed(topic, 0) == end(topic));
    assertThat(end(topic)).isLessThan(500);
  }

  @ParameterizedTest
  @EnumSource
  void theNewRecordsAreHandledWhateverIsUnfinishedOfTheOld(GroupProtocol protocol) {
    String topic = scene.topic(1);
    EventConsumer consumer = start(protocol, topic);
    scene.publishNotes(topic, 0, 20, 20);
    scene.publisher().sendAll(List.of(Scene.record(topic, 0, Scene.note("k", "stuck"))));
    eventually().until(() -> handled.contains("stuck") && handled.size() == 21);
    handled.clear();

    createAnew(topic);
    publishUntilHandled(topic);

    eventually().until(() -> scene.committed(topic, 0) == end(topic));
    assertThat(consumer.health().failure()).isEmpty();
  }

  private EventConsumer start(GroupProtocol protocol, String topic) {
    Map<String, Object> properties = scene.properties(protocol);
    properties.put("metadata.max.age.ms", 500);
    return scene.start(
        scene.consumer(
            properties,
            Scene.notes(
                topic,
                (note, delivery) -> {
                  handled.add(delivery.event().getId());
                  if (delivery.event().getId().equals("stuck")) {
                    gate.await();
                  }
                })));
  }

  /**
   * Until, because the client takes a shorter log under the same name for one that was cut off, and
   * may go on behind what was published before it has noticed (KIP-320).
   */
  private void publishUntilHandled(String topic) {
    eventually()
        .until(
            () -> {
              scene.publishNotes(topic, 0, 1, 1);
              return !handled.isEmpty();
            });
  }

  private long end(String topic) {
    return scene.kafka().endOffsets(topic).values().iterator().next();
  }

  private void createAnew(String topic) {
    scene.kafka().deleteTopic(topic);
    eventually()
        .ignoreExceptions()
        .until(
            () -> {
              scene.kafka().createTopic(topic, 1, Map.of());
              return true;
            });
    eventually().ignoreExceptions().until(() -> scene.kafka().endOffsets(topic).size() == 1);
  }
}
