package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A broker that lets the consumer no longer read, or not join. It has a broker of its own. */
@EngineTest
@TestInstance(Lifecycle.PER_CLASS)
class LostPermissionIT {

  private KafkaServer kafka;

  @BeforeAll
  void startBroker() {
    kafka =
        KafkaServer.start(
            KafkaSettings.builder()
                .brokerProperty(
                    "authorizer.class.name",
                    "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                // until a test says otherwise
                .brokerProperty("allow.everyone.if.no.acl.found", true)
                .build());
  }

  @AfterAll
  void stopBroker() {
    kafka.close();
  }

  @ParameterizedTest
  @EnumSource
  void toReadTheTopicFailsTheConsumerAndWhatWasDoneStaysCommitted(GroupProtocol protocol)
      throws Exception {
    try (Scene scene = Scene.on(kafka)) {
      String topic = scene.topic(1);
      EventConsumer consumer =
          scene.start(scene.consumer(protocol, Scene.notes(topic, (note, delivery) -> {})));
      scene.publishNotes(topic, 0, 3, 3);
      eventually().until(() -> scene.committed(topic, 0) == 3);
      allowOnlyToDescribe(scene, ResourceType.TOPIC, topic);

      LoudFailureIT.assertFails(consumer, topic, TopicAuthorizationException.class);
      assertThat(consumer.counts().applied()).isEqualTo(3);
      assertThat(scene.committed(topic, 0)).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void toJoinTheGroupFailsTheConsumer(GroupProtocol protocol) throws Exception {
    try (Scene scene = Scene.on(kafka)) {
      String topic = scene.topic(1);
      allowOnlyToDescribe(scene, ResourceType.GROUP, scene.group());
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(protocol, Scene.notes(topic, (note, delivery) -> {}))
                  .drainBudget(Duration.ofSeconds(1)));

      LoudFailureIT.assertFails(consumer, scene.group(), GroupAuthorizationException.class);
    }
  }

  private static void allowOnlyToDescribe(Scene scene, ResourceType type, String name)
      throws Exception {
    scene
        .admin()
        .createAcls(
            List.of(
                new AclBinding(
                    new ResourcePattern(type, name, PatternType.LITERAL),
                    new AccessControlEntry(
                        "User:ANONYMOUS", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW))))
        .all()
        .get();
  }
}
