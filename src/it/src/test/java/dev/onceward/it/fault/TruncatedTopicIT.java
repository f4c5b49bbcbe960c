package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Gate;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Journal;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log does not hold, or not any more, what the group's offsets speak of. */
// parallel-consumer #409, #352: after OFFSET_OUT_OF_RANGE the old offset was committed for ever;
// #894; decaton PR#86, #91: offsets that went backwards
@EngineTest
class TruncatedTopicIT {

  private static final int RECORDS = 200;
  private static final int KEPT = 20;

  private final Scene scene;
  private final Journal journal = new Journal();
  private final Gate gate = new Gate();

  TruncatedTopicIT(KafkaServer kafka) {
    scene = Scene.on(kafka);
    scene.beforeClose(gate::open);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void whenTheRecordsAheadAreDeletedItGoesOnBehindThem(GroupProtocol protocol) throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, RECORDS, RECORDS);
    EventConsumer consumer = start(protocol, topic);
    // full: it has read little, and reads on only once the gate opens
    eventually().until(() -> journal.running() == 1 && consumer.health().inFlight() == 1);
    long read = journal.begun().size();
    assertThat(read).isLessThan(RECORDS - KEPT);
    deleteBefore(topic, RECORDS - KEPT);
    gate.open();

    eventually().until(() -> scene.committed(topic, 0) == RECORDS);
    assertThat(journal.runs())
        .filteredOn(run -> run.offset() >= RECORDS - KEPT)
        .as("each of what was kept, once")
        .hasSize(KEPT);
    scene.publishNotes(topic, 0, 5, 5);
    eventually().until(() -> scene.committed(topic, 0) == RECORDS + 5);
    assertThat(consumer.health().failure()).isEmpty();
    assertThat(consumer.health().inFlight()).isZero();
  }

  /** The first record is held; its followers of the key fill what may be in flight. */
  private EventConsumer start(GroupProtocol protocol, String topic) {
    Map<String, Object> properties = new HashMap<>(scene.properties(protocol));
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
    return scene.start(
        scene
            .consumer(
                properties,
                Scene.notes(
                    topic,
                    journal.of(
                        "only",
                        (note, delivery) -> {
                          if (delivery.offset() == 0) {
                            gate.await();
                          }
                        })))
            .maxInFlightRecords(1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000, RECORDS + 1})
  void anOffsetBeyondTheLogIsPutRight(long committed) throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, RECORDS, 10);
    TopicPartition partition = new TopicPartition(topic, 0);
    scene
        .admin()
        .alterConsumerGroupOffsets(
            scene.group(), Map.of(partition, new OffsetAndMetadata(committed)))
        .all()
        .get();
    EventConsumer consumer =
        scene.start(
            scene.consumer(
                GroupProtocol.CONSUMER,
                Scene.notes(topic, journal.of("only", (note, delivery) -> {}))));

    eventually().until(() -> scene.committed(topic, 0) == RECORDS);
    journal.assertEachHandledOnce(RECORDS);
    assertThat(consumer.health().failure()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void anOffsetBeforeTheLogIsPutRight(GroupProtocol protocol) throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, RECORDS, 10);
    TopicPartition partition = new TopicPartition(topic, 0);
    scene
        .admin()
        .alterConsumerGroupOffsets(scene.group(), Map.of(partition, new OffsetAndMetadata(3)))
        .all()
        .get();
    deleteBefore(topic, RECORDS - KEPT);
    scene.start(
        scene.consumer(protocol, Scene.notes(topic, journal.of("only", (note, delivery) -> {}))));

    eventually().until(() -> scene.committed(topic, 0) == RECORDS);
    journal.assertEachHandledOnce(KEPT);
  }

  private void deleteBefore(String topic, long offset) throws Exception {
    scene
        .admin()
        .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
        .all()
        .get();
  }
}
