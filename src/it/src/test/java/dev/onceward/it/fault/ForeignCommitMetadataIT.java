package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What others have written into the metadata of the group's offsets. */
// parallel-consumer #326: foreign metadata crashed the consumer; its fork's #480: crafted metadata
// skipped two billion offsets in silence
@EngineTest
class ForeignCommitMetadataIT {

  private static final int RECORDS = 12;
  private static final int COMMITTED = 2;

  private static final List<String> METADATA =
      List.of(
          "NO_METADATA",
          "{\"version\":2,\"done\":[3,4,5]}",
          "v1",
          "v1|",
          "v1:AAAA",
          "v9:AQIDBAUGBwg=",
          "1",
          "o1",
          "=".repeat(64),
          " \t ",
          "\u0000\u0001\u007f\u00ff",
          "\u6f22".repeat(4_096),
          "/".repeat(4_096),
          "A".repeat(4_096),
          // what parallel-consumer writes: magic letters and base64
          "bAP8AAAABwAAAA==",
          "lf////8AAAAA");

  private final Scene scene;
  private final Journal journal = new Journal();

  ForeignCommitMetadataIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void neitherStopsTheConsumerNorHidesARecord(GroupProtocol protocol) throws Exception {
    String topic = scene.topic(METADATA.size());
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (int partition = 0; partition < METADATA.size(); partition++) {
      scene.publishNotes(topic, partition, RECORDS, 4);
      offsets.put(
          new TopicPartition(topic, partition),
          new OffsetAndMetadata(COMMITTED, METADATA.get(partition)));
    }
    scene.admin().alterConsumerGroupOffsets(scene.group(), offsets).all().get();
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                protocol, Scene.notes(topic, journal.of("only", (note, delivery) -> {}))));

    eventually().until(() -> scene.committedInAll() == (long) METADATA.size() * RECORDS);
    journal.assertEachHandledOnce(METADATA.size() * (RECORDS - COMMITTED));
    assertThat(consumer.health().failure()).isEmpty();
    eventually().until(() -> consumer.health().problems().isEmpty());
  }
}
