package dev.onceward.it.effect;

import com.sun.management.OperatingSystemMXBean;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.PostgresServer;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Effects with a dedupe row and a version each, in five ways that write the same rows, round by
 * round in one run: once on a database that syncs what it commits, as real ones do, and once on one
 * that does not, where nothing but the work itself counts. Prints figures, and runs only when asked
 * for: {@code -Donceward.inbox.speed=true}.
 */
@EngineTest
@EnabledIfSystemProperty(named = "onceward.inbox.speed", matches = "true")
class InboxSpeedIT {

  private static final int EVENTS = Integer.getInteger("onceward.inbox.events", 30_000);
  private static final int ROUNDS = Integer.getInteger("onceward.inbox.rounds", 3);
  private static final int KEYS = 3_000;
  private static final int PARTITIONS = 4;

  /** What an arm came to in one round. */
  private record Figure(
      double rate, double eventsOfTransaction, double micros, double databaseMicros) {}

  @ParameterizedTest
  @Execution(ExecutionMode.SAME_THREAD)
  @ValueSource(strings = {"on", "off"})
  void effectsWithDedupeRowAndVersion(String fsync) throws Exception {
    try (PostgresServer database = PostgresServer.builder().setting("fsync", fsync).start();
        Ledger ledger = Ledger.in(database.dataSource());
        ChildKafka kafka = ChildKafka.start();
        Scene scene = Scene.on(kafka)) {
      report("fsync " + fsync, measure(scene, database, ledger));
    }
  }

  private static Map<String, List<Figure>> measure(
      Scene scene, PostgresServer database, Ledger ledger) throws Exception {
    SpeedArms arms = new SpeedArms(scene, ledger, PARTITIONS);
    Map<String, List<Figure>> figures = new LinkedHashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      for (SpeedArms.Arm arm : arms.all()) {
        String topic = scene.topic(arm.name() + round, PARTITIONS);
        publish(scene, topic);
        long before = transactions(ledger);
        long cpuBefore = cpuNanos();
        long databaseBefore = cpuNanos(database);
        double rate = arms.run(arm, topic, EVENTS);
        Figure figure =
            new Figure(
                rate,
                (double) EVENTS / Math.max(1, transactions(ledger) - before),
                (cpuNanos() - cpuBefore) / 1e3 / EVENTS,
                (cpuNanos(database) - databaseBefore) / 1e3 / EVENTS);
        // the first round warms up
        if (round > 0) {
          figures.computeIfAbsent(arm.name(), any -> new ArrayList<>()).add(figure);
        }
      }
    }
    return figures;
  }

  /** What this process has used; broker and database are others. */
  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** What the database's processes that live have used. */
  private static long cpuNanos(PostgresServer database) {
    return ProcessHandle.of(database.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .mapToLong(Duration::toNanos)
        .sum();
  }

  /** The number of the next transaction that writes. */
  private static long transactions(Ledger ledger) throws SQLException {
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void report(String database, Map<String, List<Figure>> figures) {
    figures.forEach(
        (name, all) ->
            System.out.printf(
                Locale.ROOT,
                "inbox speed, %s: %-16s %,8.0f/s %s, %.1f events a transaction, CPU an event: %.1f us here, %.1f us"
                    + " in the database%n",
                database,
                name,
                median(figures, name),
                all.stream().map(figure -> Math.round(figure.rate())).toList(),
                all.stream().mapToDouble(Figure::eventsOfTransaction).average().orElse(0),
                all.stream().mapToDouble(Figure::micros).min().orElse(0),
                all.stream().mapToDouble(Figure::databaseMicros).min().orElse(0)));
    double loop = median(figures, "loop");
    double loopBatch = median(figures, "loop-batch");
    double spring = median(figures, "spring");
    double events = median(figures, "onceward");
    double lists = median(figures, "onceward-lists");
    System.out.printf(
        Locale.ROOT,
        "inbox speed, %s: single-event handlers: %.2f of the loop, %.1f x spring-kafka (the loop:"
            + " %.1f x); handlers of lists: %.2f of the loop, %.1f x spring-kafka (the loop: %.1f"
            + " x)%n",
        database,
        events / loop,
        events / spring,
        loop / spring,
        lists / loopBatch,
        lists / spring,
        loopBatch / spring);
  }

  private static void publish(Scene scene, String topic) {
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

  private static double median(Map<String, List<Figure>> figures, String name) {
    List<Double> sorted =
        figures.getOrDefault(name, List.of()).stream().map(Figure::rate).sorted().toList();
    int size = sorted.size();
    return size == 0 ? Double.NaN : (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
  }
}
