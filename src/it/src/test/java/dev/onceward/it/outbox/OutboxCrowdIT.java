package dev.onceward.it.outbox;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.producer.outbox.OutboxRelay;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More rows than the relay holds in memory can not be sent for a time. */
@EngineTest
class OutboxCrowdIT {

  private static final int ROWS = 5_000;
  private static final int IN_MEMORY = 1_000;

  private final OutboxScene outbox;
  private final AtomicBoolean notNow = new AtomicBoolean(true);

  OutboxCrowdIT(KafkaServer kafka, TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
  }

  @Test
  void aTopicThatTakesNothingForATimeHoldsUpNoOther() {
    String bad = outbox.scene().topic("bad", 3, Map.of());
    String good = outbox.scene().topic("good", 3, Map.of());
    append(bad, "bad-", ROWS / 2, ROWS);
    OutboxRelay relay = start();
    Scene.eventually().until(() -> relay.counts().failed() >= IN_MEMORY);

    append(good, "good-", 100, 200);
    Scene.eventually().until(() -> outbox.occurrences(good).distinct() == 200);
    assertThat(outbox.number("SELECT count(*) FROM onceward_outbox WHERE topic = '" + bad + "'"))
        .isEqualTo(ROWS);

    notNow.set(false);
    assertAllInOrder(outbox.awaitEmpty(bad), ROWS);
    assertAllInOrder(outbox.occurrences(good), 200);
    assertThat(relay.counts().overlooked()).isZero();
  }

  @Test
  void aKeyWithManyRowsBehindOneThatIsTriedAgainHoldsUpNoOther() {
    String topic = outbox.scene().topic("hot", 1, Map.of());
    append(topic, "bad-", 1, ROWS);
    OutboxRelay relay = start();
    Scene.eventually().until(() -> relay.counts().failed() >= 2);

    append(topic, "good-", 500, 1_000);
    Scene.eventually().until(() -> outbox.occurrences(topic).distinct() == 1_000);
    append(topic, "bad-", 1, 1, ROWS);

    notNow.set(false);
    assertAllInOrder(outbox.awaitEmpty(topic), ROWS + 1_001);
    assertThat(relay.counts().overlooked()).isZero();
  }

  private OutboxRelay start() {
    return outbox.start(
        outbox
            .relay(Map.of("partitioner.class", NotNow.class.getName(), NotNow.CONFIG, notNow))
            .maxInFlight(IN_MEMORY));
  }

  private static void assertAllInOrder(Occurrences found, int count) {
    assertThat(found.distinct()).isEqualTo(count);
    assertThat(found.violations()).isEmpty();
    assertThat(found.duplicates()).isEmpty();
  }

  private void append(String topic, String prefix, int keys, int rows) {
    append(topic, prefix, keys, rows, 0);
  }

  private void append(String topic, String prefix, int keys, int rows, int from) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      events.add(OutboxScene.event(prefix + i % keys, from + i / keys + 1));
    }
    outbox.commit(tx -> outbox.outbox().appendAll(tx, topic, events));
  }

  /** Fails like a partition with too few replicas in sync: for a time, and for some keys. */
  public static final class NotNow implements Partitioner {
    static final String CONFIG = "it.not.now";

    private AtomicBoolean notNow = new AtomicBoolean();

    @Override
    public void configure(Map<String, ?> configs) {
      notNow = (AtomicBoolean) requireNonNull(configs.get(CONFIG));
    }

    @Override
    public int partition(
        String topic,
        Object key,
        byte[] keyBytes,
        Object value,
        byte[] valueBytes,
        Cluster cluster) {
      if (notNow.get() && new String(keyBytes, StandardCharsets.UTF_8).startsWith("bad")) {
        throw new NotEnoughReplicasException("not now");
      }
      return 0;
    }

    @Override
    public void close() {}
  }
}
