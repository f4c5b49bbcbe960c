package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.KafkaSettings;
import dev.onceward.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * How fast one relay, in a process of its own, empties an outbox into a real broker. Prints
 * figures, and runs only when asked for: {@code -Donceward.outbox.speed=true}.
 */
@EngineTest
@Execution(ExecutionMode.SAME_THREAD)
@EnabledIfSystemProperty(named = "onceward.outbox.speed", matches = "true")
class OutboxSpeedIT {

  private static final int ROWS = Integer.getInteger("onceward.outbox.rows", 200_000);
  private static final int HISTORY = Integer.getInteger("onceward.outbox.history", 1_000_000);
  private static final int PAYLOAD = 300;

  private final ChildKafka kafka =
      ChildKafka.start(KafkaSettings.builder().heapMegabytes(512).build());
  private final OutboxScene outbox;

  OutboxSpeedIT(TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
    kafka.close();
  }

  @Test
  void oneRelayEmptiesTheOutbox() throws Exception {
    String topic = outbox.scene().topic(6);
    for (int keys : List.of(10_000, 10_000, 1_000, 100, 1)) {
      int rows = keys < 1_000 ? ROWS / 10 : ROWS;
      System.out.printf(
          Locale.ROOT,
          "outbox: %d rows of %d keys: %,.0f rows/s%n",
          rows,
          keys,
          run(topic, rows, keys));
    }
  }

  @Test
  void rowsPublishedEarlierAreNoHindrance() throws Exception {
    String topic = outbox.scene().topic(6);
    run(topic, ROWS, 10_000);
    double fresh = run(topic, ROWS, 10_000);
    for (int rows = 0; rows < HISTORY; rows += 100_000) {
      insert(topic, 100_000, 10_000);
      outbox.execute("DELETE FROM onceward_outbox");
    }
    double withHistory = run(topic, ROWS, 10_000);
    System.out.printf(
        Locale.ROOT,
        "outbox: without history %,.0f rows/s, behind %d deleted rows %,.0f rows/s (%.2f)%n",
        fresh,
        HISTORY,
        withHistory,
        withHistory / fresh);
  }

  /** Rows a second, from the first deleted to the last. */
  private double run(String topic, int rows, int keys) throws Exception {
    insert(topic, rows, keys);
    long before = count(topic);
    try (ChildApp relay =
        ChildApp.start(
            RelayApp.class,
            outbox.configuration("speed", 5_000),
            List.of("-Xmx256m", "-XX:+UseSerialGC"))) {
      eventually()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofMillis(5))
          .until(() -> count(topic) > before);
      long from = System.nanoTime();
      long first = count(topic);
      eventually()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> count(topic) >= before + rows);
      double seconds = (System.nanoTime() - from) / 1e9;
      eventually().until(() -> outbox.number("SELECT count(*) FROM onceward_outbox") == 0);
      assertThat(count(topic)).isEqualTo(before + rows);
      relay.signal("TERM");
      relay.awaitExit();
      return (before + rows - first) / seconds;
    }
  }

  private long count(String topic) {
    return kafka.endOffsets(topic).values().stream().mapToLong(Long::longValue).sum();
  }

  private void insert(String topic, int rows, int keys) {
    String text = "x".repeat(PAYLOAD);
    for (int from = 0; from < rows; from += 1_000) {
      List<Event> events = new ArrayList<>();
      for (int i = from; i < Math.min(rows, from + 1_000); i++) {
        events.add(
            OutboxScene.event("key-" + i % keys, i).toBuilder()
                .data(Scene.json(text), "application/json")
                .build());
      }
      outbox.commit(tx -> outbox.outbox().appendAll(tx, topic, events));
    }
  }
}
