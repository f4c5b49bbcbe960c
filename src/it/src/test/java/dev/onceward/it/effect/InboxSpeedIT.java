package dev.onceward.it.effect;

import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Effects with a dedupe row and a version each, in four ways that write the same rows, round by
 * round in one run. Prints figures, and runs only when asked for: {@code
 * -Donceward.inbox.speed=true}.
 */
@EngineTest
@EnabledIfSystemProperty(named = "onceward.inbox.speed", matches = "true")
class InboxSpeedIT {

  private static final int EVENTS = Integer.getInteger("onceward.inbox.events", 30_000);
  private static final int ROUNDS = Integer.getInteger("onceward.inbox.rounds", 3);
  private static final int KEYS = 3_000;
  private static final int PARTITIONS = 4;

  private final ChildKafka kafka = ChildKafka.start();
  private final Scene scene = Scene.on(kafka);
  private final Ledger ledger;

  InboxSpeedIT(TestDatabase database) {
    ledger = Ledger.in(database.dataSource());
    scene.afterClose(ledger::close);
  }

  @AfterEach
  void close() {
    scene.close();
    kafka.close();
  }

  @Test
  void effectsWithDedupeRowAndVersion() throws Exception {
    SpeedArms arms = new SpeedArms(scene, ledger, PARTITIONS);
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      for (SpeedArms.Arm arm : arms.all()) {
        String topic = scene.topic(arm.name() + round, PARTITIONS);
        publish(topic);
        double rate = arms.run(arm, topic, EVENTS);
        // the first round warms up
        if (round > 0) {
          rates.computeIfAbsent(arm.name(), any -> new ArrayList<>()).add(rate);
        }
      }
    }
    double loop = median(rates, "loop");
    double loopBatch = median(rates, "loop-batch");
    double spring = median(rates, "spring");
    rates.forEach(
        (name, all) ->
            System.out.printf(
                Locale.ROOT, "inbox speed: %-16s %,8.0f/s %s%n", name, median(rates, name), all));
    double events = median(rates, "onceward");
    double lists = median(rates, "onceward-lists");
    System.out.printf(
        Locale.ROOT,
        "inbox speed: single-event handlers: %.2f of the loop, %.1f x spring-kafka; handlers of"
            + " lists: %.2f of the loop, %.1f x spring-kafka%n",
        events / loop,
        events / spring,
        lists / loopBatch,
        lists / spring);
  }

  private void publish(String topic) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>(EVENTS);
    for (int i = 0; i < EVENTS; i++) {
      int key = i % KEYS;
      records.add(
          Scene.record(
              topic,
              key % PARTITIONS,
              Scene.note("key-" + key, topic + "-" + i).toBuilder()
                  .entityVersion(i / KEYS + 1)
                  .build()));
    }
    scene.publisher().sendAll(records);
  }

  private static double median(Map<String, List<Double>> rates, String name) {
    List<Double> sorted = rates.getOrDefault(name, List.of()).stream().sorted().toList();
    return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
  }
}
