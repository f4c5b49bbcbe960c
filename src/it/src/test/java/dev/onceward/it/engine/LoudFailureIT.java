package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.ConsumerFailedException;
import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.ConsumerStartException;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Errors that no retry can mend: the consumer stops and says why, it does not idle in silence. */
@EngineTest
class LoudFailureIT {

  private final Scene scene;

  LoudFailureIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void noCommittedOffsetAndNoResetFailsTheConsumer(GroupProtocol protocol) {
    String topic = scene.topic(1);
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    EventConsumer consumer =
        scene.start(scene.consumer(properties, Scene.notes(topic, (note, delivery) -> {})));

    assertFails(consumer, scene.group(), NoOffsetForPartitionException.class);
  }

  @ParameterizedTest
  @EnumSource
  void settingsThatTheProtocolDoesNotKnowFailTheStartInOneLine(GroupProtocol protocol) {
    String topic = scene.topic(1);
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    String wrong =
        protocol.isClassic()
            ? ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG
            : ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG;
    properties.put(wrong, protocol.isClassic() ? "uniform" : 6_000);
    EventConsumer consumer =
        scene.consumer(properties, Scene.notes(topic, (note, delivery) -> {})).build();

    assertThatThrownBy(consumer::start)
        .isInstanceOf(ConsumerStartException.class)
        .hasMessageContaining(wrong)
        .message()
        .doesNotContain("\n");
    consumer.close();
  }

  static void assertFails(
      EventConsumer consumer, String group, Class<? extends Throwable> expectedCause) {
    eventually().until(() -> consumer.health().state() == State.FAILED);
    ConsumerHealth health = consumer.health();
    assertThat(health.live()).isFalse();
    assertThat(health.ready()).isFalse();
    assertThat(health.failure())
        .hasValueSatisfying(failure -> assertThat(failure).isInstanceOf(expectedCause));
    assertThatThrownBy(consumer::awaitStop)
        .isInstanceOf(ConsumerFailedException.class)
        .hasMessageContaining(group)
        .hasCauseInstanceOf(expectedCause)
        .message()
        .doesNotContain("\n");
    // closing what has failed is no further error
    consumer.close();
  }
}
