package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.it.scene.DeadLetter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A dead-letter topic that does not take what it is sent: nothing is dropped, other keys go on,
 * health names the topic, and once it takes letters again each is there once. That it is deleted or
 * takes only small records is in {@code OutageIT}.
 */
// spring-kafka #4272, #3867
@EngineTest
class DeadLetterTopicIT {

  private final Scene scene;

  DeadLetterTopicIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  /** A broker of its own, because of its authorizer. */
  @Test
  void withoutPermissionToWriteLettersWaitUntilItIsGiven() throws Exception {
    KafkaSettings settings =
        KafkaSettings.builder()
            .brokerProperty(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .brokerProperty("allow.everyone.if.no.acl.found", true)
            .build();
    try (KafkaServer kafka = KafkaServer.start(settings);
        Scene own = Scene.on(kafka)) {
      String topic = own.topic(1);
      EventConsumer consumer = start(own, topic);
      eventually().until(() -> consumer.health().ready());
      AclBinding onlyToDescribe =
          new AclBinding(
              new ResourcePattern(ResourceType.TOPIC, own.deadLetters(topic), PatternType.LITERAL),
              new AccessControlEntry(
                  "User:ANONYMOUS", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW));
      own.admin().createAcls(List.of(onlyToDescribe)).all().get();

      assertWaits(own, consumer, topic);
      own.admin().deleteAcls(List.of(onlyToDescribe.toFilter())).all().get();
      assertRecovers(own, consumer, topic);
    }
  }

  // spring-kafka #1700: the letter was sent to the partition of its record, which was not there
  @Test
  void aTopicWithFewerPartitionsThanTheRecordsTakesTheLettersOfAll() {
    String topic = scene.topic(3);
    scene.kafka().createTopic(scene.deadLetters(topic), 1);
    EventConsumer consumer = start(scene, topic);
    for (int partition = 0; partition < 3; partition++) {
      scene.publisher().send(Scene.record(topic, partition, Scene.note("k", "bad-" + partition)));
    }
    eventually().until(() -> scene.committedInAll() == 3);

    assertThat(consumer.counts().deadLettered()).isEqualTo(3);
    assertThat(partitionsOf(scene.collector().awaitCount(scene.deadLetters(topic), 3)))
        .containsExactlyInAnyOrder("0", "1", "2");
  }

  private static Set<String> partitionsOf(List<ConsumerRecord<byte[], byte[]>> letters) {
    return letters.stream()
        .map(letter -> DeadLetter.header(letter, "__dlq.errors.partition"))
        .collect(Collectors.toSet());
  }

  private static void assertWaits(Scene scene, EventConsumer consumer, String topic) {
    scene
        .publisher()
        .publish(
            topic,
            List.of(
                Scene.note("a", "a1"),
                Scene.note("k", "bad-1"),
                Scene.note("k", "after-it"),
                Scene.note("b", "b1")));
    eventually().until(() -> consumer.counts().applied() == 2);
    eventually()
        .until(
            () ->
                consumer.health().problems().stream()
                    .anyMatch(line -> line.contains(scene.deadLetters(topic))));
    await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(60))
        .until(() -> scene.committed(topic, 0) == 1);
    assertThat(consumer.health().live()).isTrue();
    assertThat(consumer.counts().deadLettered()).isZero();
    assertThat(consumer.counts().applied()).isEqualTo(2);
  }

  private static void assertRecovers(Scene scene, EventConsumer consumer, String topic) {
    eventually().until(() -> scene.committed(topic, 0) == 4);
    assertThat(consumer.counts().applied()).isEqualTo(3);
    assertThat(consumer.counts().deadLettered()).isEqualTo(1);
    assertThat(scene.collector().readAll(scene.deadLetters(topic)))
        .singleElement()
        .satisfies(letter -> assertThat(DeadLetter.header(letter, "ce_id")).isEqualTo("bad-1"));
    eventually().until(() -> consumer.health().problems().isEmpty());
  }

  private static EventConsumer start(Scene scene, String topic) {
    return scene.start(
        scene.consumer(
            GroupProtocol.CONSUMER,
            Scene.notes(
                topic,
                (note, delivery) -> {
                  if (note.text().startsWith("bad")) {
                    throw new PermanentFailure("bad");
                  }
                })));
  }
}
