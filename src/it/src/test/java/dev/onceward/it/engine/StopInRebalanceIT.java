package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stop that falls into a rebalance, which another member holds up. */
@EngineTest
class StopInRebalanceIT {

  private static final Duration POLL = Duration.ofMillis(50);

  private final Scene scene;
  private final Journal journal = new Journal();
  private final AtomicBoolean ended = new AtomicBoolean();

  StopInRebalanceIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    ended.set(true);
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void commitsWhatIsDone(GroupProtocol protocol) {
    String topic = scene.topic(4);
    try (KafkaConsumer<byte[], byte[]> slow = member(protocol)) {
      slow.subscribe(List.of(topic));
      eventually().until(() -> !poll(slow).assignment().isEmpty());
      EventConsumer consumer =
          scene
              .consumer(protocol, Scene.notes(topic, journal.of("only", (note, delivery) -> {})))
              // only the stop commits
              .commitInterval(Duration.ofHours(1))
              .drainBudget(Duration.ofSeconds(30))
              .build();
      consumer.start();
      eventually()
          .until(
              () ->
                  poll(slow).assignment().size() == 2
                      && consumer.health().assignedPartitions() == 2);
      for (int partition = 0; partition < 4; partition++) {
        scene.publishNotes(topic, partition, 25, 25);
      }
      int expected = 25 * 2;
      eventually().until(() -> consumer.counts().applied() == expected);

      // the newcomer's rebalance waits for the member that does not poll
      CompletableFuture<Void> newcomer = Scene.inBackground(() -> join(protocol, topic));
      if (protocol.isClassic()) {
        eventually().until(() -> scene.describe().groupState() == GroupState.PREPARING_REBALANCE);
      }
      eventually()
          .pollDelay(Duration.ofSeconds(1))
          .until(() -> consumer.health().failure().isEmpty());
      consumer.stop();
      CompletableFuture<Void> stopped = Scene.inBackground(consumer::close);
      eventually()
          .pollDelay(Duration.ofMillis(500))
          .until(
              () -> {
                poll(slow);
                return stopped.isDone();
              });

      assertThat(scene.committedInAll()).isEqualTo(expected);
      ended.set(true);
      newcomer.join();
    }
  }

  private static KafkaConsumer<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> consumer) {
    consumer.poll(POLL);
    return consumer;
  }

  private void join(GroupProtocol protocol, String topic) {
    try (KafkaConsumer<byte[], byte[]> newcomer = member(protocol)) {
      newcomer.subscribe(List.of(topic));
      while (!ended.get()) {
        newcomer.poll(POLL);
      }
    }
  }

  private KafkaConsumer<byte[], byte[]> member(GroupProtocol protocol) {
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, scene.group());
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
