package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.producer.outbox.DeadReason;
import dev.onceward.producer.outbox.DeadRow;
import dev.onceward.producer.outbox.OutboxRelay;
import dev.onceward.producer.outbox.UnknownTopics;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import dev.onceward.tracing.KeyHash;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A row that cannot be sent stops its key, and nothing else, until it is released or discarded. */
@EngineTest
class OutboxDeadRowIT {

  private static final int TOO_LARGE = 5_000;

  private final OutboxScene outbox;

  OutboxDeadRowIT(KafkaServer kafka, TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
  }

  @Test
  void aRowTooLargeForTheTopicStopsOnlyItsKeyAndGoesFirstWhenItIsReleased() throws Exception {
    String topic = outbox.scene().topic("small", 2, Map.of("max.message.bytes", "2000"));
    // all are there before the relay looks: the rows behind must not overtake on the way
    appendBadAndGood(topic);

    OutboxRelay relay = outbox.start(outbox.relay());
    DeadRow dead = awaitDead();
    outbox.append(topic, OutboxScene.event("bad", 5));
    outbox.append(topic, OutboxScene.event("good", 3));

    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.versions("bad")).containsExactly(1L);
    assertThat(found.versions("good")).containsExactly(1L, 2L, 3L);
    assertThat(dead.reason()).isEqualTo(DeadReason.TOO_LARGE);
    assertThat(dead.detail()).contains("max.message.bytes").doesNotContain("bad");
    assertThat(dead.eventId()).isEqualTo("bad/2");
    assertThat(dead.keyHash()).isEqualTo(KeyHash.of("bad".getBytes(StandardCharsets.UTF_8)));
    eventually().until(() -> outbox.admin().deadRows(10).get(0).waiting() == 3);
    assertThat(relay.counts().dead()).isOne();
    assertThat(relay.counts().behind()).isEqualTo(3);
    eventually().until(() -> relay.health().dead() == 1);

    allowMore(topic);
    assertThat(outbox.admin().release(dead.seq())).isTrue();
    outbox.append(topic, OutboxScene.event("bad", 6));

    eventually().until(() -> outbox.occurrences(topic).versions("bad").size() == 6);
    assertThat(outbox.awaitEmpty(topic).versions("bad")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(outbox.admin().deadRows(10)).isEmpty();
    assertThat(outbox.admin().release(dead.seq())).isFalse();
    assertThat(outbox.occurrences(topic).duplicates()).isEmpty();
  }

  @Test
  void aRowThatIsDeadAgainStopsItsKeyAgain() {
    String topic = outbox.scene().topic("small", 1, Map.of("max.message.bytes", "2000"));
    appendBadAndGood(topic);
    OutboxRelay relay = outbox.start(outbox.relay());
    DeadRow dead = awaitDead();
    eventually().until(() -> relay.counts().behind() == 2);

    assertThat(outbox.admin().release(dead.seq())).isTrue();

    eventually().until(() -> relay.counts().dead() == 2 && relay.counts().behind() == 4);
    assertThat(outbox.awaitEmpty(topic).versions("bad")).containsExactly(1L);
    assertThat(outbox.admin().deadRows(10))
        .singleElement()
        .satisfies(again -> assertThat(again.waiting()).isEqualTo(2));
  }

  @Test
  void theKeyGoesOnWithoutARowThatIsDiscarded() {
    String topic = outbox.scene().topic("small", 1, Map.of("max.message.bytes", "2000"));
    appendBadAndGood(topic);
    outbox.start(outbox.relay());
    DeadRow dead = awaitDead();

    assertThat(outbox.admin().discard(dead.seq())).isTrue();

    eventually().until(() -> outbox.occurrences(topic).versions("bad").size() == 3);
    assertThat(outbox.awaitEmpty(topic).versions("bad")).containsExactly(1L, 3L, 4L);
    assertThat(outbox.admin().deadRows(10)).isEmpty();
  }

  @Test
  void aRelayThatTakesOverKnowsOfTheDeadRowsAndKeepsTheirKeysBack() {
    String topic = outbox.scene().topic("small", 1, Map.of("max.message.bytes", "2000"));
    appendBadAndGood(topic);
    OutboxRelay first = outbox.start(outbox.relay());
    awaitDead();
    eventually().until(() -> first.counts().behind() == 2);
    first.close();
    outbox.append(topic, OutboxScene.event("bad", 5));
    outbox.append(topic, OutboxScene.event("good", 3));

    OutboxRelay second = outbox.start(outbox.relay());

    eventually().until(() -> second.counts().behind() == 1);
    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.versions("bad")).containsExactly(1L);
    assertThat(found.versions("good")).containsExactly(1L, 2L, 3L);
  }

  @Test
  void rowsOfATopicThatIsMissingWaitAndOthersGoOn() {
    String missing = outbox.scene().group() + ".not-there";
    String topic = outbox.scene().topic(1);
    outbox.append(missing, OutboxScene.event("key", 1));
    outbox.append(missing, OutboxScene.event("key", 2));
    outbox.append(topic, OutboxScene.event("key", 1));
    OutboxRelay relay = outbox.start(outbox.relay(Map.of("max.block.ms", "1000")));

    assertThat(outbox.awaitRecords(topic, 1)).hasSize(1);
    eventually()
        .until(
            () ->
                relay.health().problems().stream()
                    .anyMatch(
                        line -> line.startsWith("topic " + missing + ": the topic does not")));
    outbox.append(topic, OutboxScene.event("key", 2));
    assertThat(outbox.awaitRecords(topic, 2)).hasSize(2);
    assertThat(outbox.admin().deadRows(10)).isEmpty();

    outbox.scene().kafka().createTopic(missing, 1);

    assertThat(outbox.awaitRecords(missing, 2)).hasSize(2);
    assertThat(outbox.awaitEmpty(missing).versions("key")).containsExactly(1L, 2L);
    eventually().until(() -> relay.health().problems().isEmpty());
  }

  @Test
  void rowsOfATopicThatIsMissingAreDeadIfSoWantedAndReleasedAllAtOnce() {
    String missing = outbox.scene().group() + ".not-there";
    for (int version = 1; version <= 3; version++) {
      outbox.append(missing, OutboxScene.event("key-a", version));
      outbox.append(missing, OutboxScene.event("key-b", version));
    }
    OutboxRelay relay =
        outbox.start(
            outbox.relay(Map.of("max.block.ms", "1000")).unknownTopics(UnknownTopics.DEAD));

    eventually().until(() -> relay.counts().dead() == 2 && relay.counts().behind() == 4);
    assertThat(outbox.admin().deadRows(10))
        .allSatisfy(row -> assertThat(row.reason()).isEqualTo(DeadReason.UNKNOWN_TOPIC));
    outbox.scene().kafka().createTopic(missing, 1);

    assertThat(outbox.admin().releaseAll(missing)).isEqualTo(2);

    assertThat(outbox.awaitRecords(missing, 6)).hasSize(6);
    assertThat(outbox.awaitEmpty(missing).violations()).isEmpty();
  }

  @Test
  void aRowThatCannotBeReadIsDeadAndNamedAsSuch() {
    String topic = outbox.scene().topic(1);
    outbox.append(topic, OutboxScene.event("bad", 1));
    outbox.append(topic, OutboxScene.event("good", 1));
    outbox.execute("UPDATE onceward_outbox SET headers = '\\x09' WHERE id = 'bad/1'");
    outbox.start(outbox.relay());

    assertThat(awaitDead().reason()).isEqualTo(DeadReason.MALFORMED);
    assertThat(outbox.awaitEmpty(topic).keys()).containsExactly("good");
  }

  private void appendBadAndGood(String topic) {
    outbox.append(topic, OutboxScene.event("bad", 1));
    outbox.append(topic, large("bad", 2));
    outbox.append(topic, OutboxScene.event("good", 1));
    outbox.append(topic, OutboxScene.event("bad", 3));
    outbox.append(topic, OutboxScene.event("bad", 4));
    outbox.append(topic, OutboxScene.event("good", 2));
  }

  private static Event large(String key, long version) {
    return OutboxScene.event(key, version).toBuilder()
        .data(Scene.json("x".repeat(TOO_LARGE)), "application/json")
        .build();
  }

  private DeadRow awaitDead() {
    eventually().until(() -> !outbox.admin().deadRows(10).isEmpty());
    List<DeadRow> rows = outbox.admin().deadRows(10);
    assertThat(rows).hasSize(1);
    return rows.get(0);
  }

  private void allowMore(String topic) throws Exception {
    outbox
        .scene()
        .admin()
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry("max.message.bytes", "100000"), AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }
}
