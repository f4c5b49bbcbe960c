package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.envelope.EventWriter;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.InProcessKafka;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.KafkaSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that a broker took once, and would not take, or not keep, a second time as they are. */
@EngineTest
class UnusualDeadLetterIT {

  private final Scene scene;

  UnusualDeadLetterIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void aRecordThatFittedOnlyCompressedIsDeadLettered() throws Exception {
    String topic = scene.topic(1);
    Map<String, Object> properties = new HashMap<>(scene.kafka().clientProperties());
    properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 10_000_000);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(Scene.record(topic, 0, Scene.note("k", "1", "x".repeat(3_000_000)))).get();
    }

    EventConsumer consumer = startRefusing(topic);

    eventually().until(() -> consumer.counts().deadLettered() == 1);
    assertThat(scene.collector().awaitCount(scene.deadLetters(topic), 1).get(0).value())
        .hasSizeGreaterThan(3_000_000);
  }

  @Test
  void aRecordFromTheFutureIsDeadLettered() {
    String topic = anyTimeTopic(scene);
    long future = System.currentTimeMillis() + Duration.ofDays(2).toMillis();
    scene.publisher().sendAll(List.of(record(topic, future)));

    EventConsumer consumer = startRefusing(topic);

    eventually().until(() -> consumer.counts().deadLettered() == 1);
    assertThat(timestamp(letter(scene, topic))).isEqualTo(Long.toString(future));
  }

  /** A broker of its own, whose retention does not wait for minutes. */
  @Test
  void theDeadLetterOfAnOldRecordIsKeptAsLongAsAnyOther() throws Exception {
    KafkaSettings settings =
        KafkaSettings.builder()
            .brokerProperty("log.retention.check.interval.ms", 200)
            .brokerProperty("log.initial.task.delay.ms", 100)
            .build();
    try (InProcessKafka kafka = InProcessKafka.start(settings);
        Scene own = Scene.on(kafka)) {
      String topic = anyTimeTopic(own);
      String canary = "canary";
      kafka.createTopic(canary, 1, Map.of(TopicConfig.RETENTION_MS_CONFIG, month()));
      long old = System.currentTimeMillis() - Duration.ofDays(60).toMillis();
      own.publisher().sendAll(List.of(record(topic, old)));
      EventConsumer consumer = startRefusing(own, topic);
      eventually().until(() -> consumer.counts().deadLettered() == 1);

      own.publisher().sendAll(List.of(record(canary, old)));
      eventually().until(() -> begin(own, canary) == 1);
      // the next round of the retention has looked at all topics
      own.publisher().sendAll(List.of(record(canary, old)));
      eventually().until(() -> begin(own, canary) == 2);

      assertThat(begin(own, own.deadLetters(topic))).isZero();
      assertThat(timestamp(letter(own, topic))).isEqualTo(Long.toString(old));
    }
  }

  @Test
  void aRecordOfAPartitionAddedLaterIsDeadLettered() throws Exception {
    String topic = scene.topic(1);
    Map<String, Object> properties = scene.properties(GroupProtocol.COOPERATIVE);
    properties.put("metadata.max.age.ms", 500);
    EventConsumer consumer =
        scene.start(scene.consumer(properties, Scene.notes(topic, UnusualDeadLetterIT::refuse)));
    scene.admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
    eventually().until(() -> consumer.health().assignedPartitions() == 3);

    scene.publisher().sendAll(List.of(Scene.record(topic, 2, Scene.note("k", "1"))));

    eventually().until(() -> consumer.counts().deadLettered() == 1);
    eventually().until(() -> scene.committed(topic, 2) == 1);
  }

  private static String anyTimeTopic(Scene scene) {
    String topic = "any-time-" + scene.group();
    scene
        .kafka()
        .createTopic(
            topic,
            1,
            Map.of(
                TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
                Long.toString(Long.MAX_VALUE),
                TopicConfig.RETENTION_MS_CONFIG,
                "-1"));
    return topic;
  }

  private static String month() {
    return Long.toString(Duration.ofDays(30).toMillis());
  }

  private static ProducerRecord<byte[], byte[]> record(String topic, long timestamp) {
    return EventWriter.binary().write(topic, 0, timestamp, Scene.note("k", "1"));
  }

  private static long begin(Scene scene, String topic) throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    return scene
        .admin()
        .listOffsets(Map.of(partition, OffsetSpec.earliest()))
        .partitionResult(partition)
        .get()
        .offset();
  }

  private static ConsumerRecord<byte[], byte[]> letter(Scene scene, String topic) {
    return scene.collector().awaitCount(scene.deadLetters(topic), 1).get(0);
  }

  private static String timestamp(ConsumerRecord<byte[], byte[]> letter) {
    return new String(letter.headers().lastHeader("dlq_timestamp").value(), StandardCharsets.UTF_8);
  }

  private EventConsumer startRefusing(String topic) {
    return startRefusing(scene, topic);
  }

  private static EventConsumer startRefusing(Scene scene, String topic) {
    return scene.start(
        scene.consumer(GroupProtocol.CONSUMER, Scene.notes(topic, UnusualDeadLetterIT::refuse)));
  }

  private static void refuse(Note note, dev.onceward.consumer.Delivery delivery) {
    throw new PermanentFailure("refused");
  }
}
