package dev.onceward.it.guarantee;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.it.scene.AppConfiguration;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The consumer's process is killed at random points under load, again and again, and the ledger is
 * exact every time: no effect lost, none twice, and no innocent record taken for the killer.
 */
@EngineTest
class KillIT {

  private static final int PARTITIONS = 2;
  private static final int KEYS = 40;
  private static final int BATCH = 40;
  private static final int MOST_WAITING = 1_500;
  private static final int SESSION_MILLIS = 1_500;

  private final Scene scene;
  private final TestDatabase database;
  private final Ledger ledger;
  private final Random random;
  private final long seed = Setup.seedOfThisRun();
  private final AtomicBoolean enough = new AtomicBoolean();
  private final int[] published = new int[PARTITIONS];

  KillIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    this.database = database;
    ledger = Ledger.in(database.dataSource());
    random = new Random(seed);
    scene.afterClose(ledger::close);
  }

  @AfterEach
  void close() {
    enough.set(true);
    scene.close();
  }

  @ParameterizedTest
  @CsvSource({"EAGER, 1", "COOPERATIVE, 1", "CONSUMER, 2"})
  void theLedgerIsExactAfterEveryKill(GroupProtocol protocol, int kills) throws Exception {
    killAgainAndAgain(protocol, kills);
  }

  @ParameterizedTest
  @CsvSource({"EAGER, 17", "COOPERATIVE, 16", "CONSUMER, 17"})
  @ChaosTest
  void theLedgerIsExactAfterManyKillsInARow(GroupProtocol protocol, int kills) throws Exception {
    killAgainAndAgain(protocol, kills);
  }

  private void killAgainAndAgain(GroupProtocol protocol, int kills) throws Exception {
    System.out.printf("%s, %d kills, seed %d%n", protocol, kills, seed);
    String topic = topic(protocol);
    CompletableFuture<Void> load = Scene.inBackground(() -> load(topic));
    for (int kill = 1; kill <= kills; kill++) {
      try (ChildApp app = ChildApp.start(configuration(protocol, topic))) {
        awaitSomeMoment(app);
        app.signal("KILL");
        assertThat(app.awaitExit()).as(app.log()).isEqualTo(128 + 9);
      }
      assertLedgerIsExactSoFar(topic, "seed %d, kill %d".formatted(seed, kill));
    }
    try (ChildApp app = ChildApp.start(configuration(protocol, topic))) {
      enough.set(true);
      load.join();
      eventually()
          .until(() -> scene.committedInAll() == published[0] + published[1] || !app.isAlive());
      app.signal("TERM");
      assertThat(app.awaitExit()).as(app.log()).isEqualTo(128 + 15);
    }
    assertThat(scene.committedInAll()).isEqualTo(published[0] + published[1]);
    assertLedgerIsExactSoFar(topic, "seed %d, in the end".formatted(seed));
    assertThat(rows()).isEqualTo(published[0] + published[1]);
    assertThat(scene.collector().readAll(scene.deadLetters(topic))).as("dead letters").isEmpty();
  }

  /** Mostly in the midst of work, and now and then while it starts or joins. */
  private void awaitSomeMoment(ChildApp app) {
    if (random.nextInt(5) == 0) {
      Duration delay = Duration.ofMillis(random.nextInt(2_000));
      await().pollDelay(delay).atMost(Duration.ofSeconds(60)).until(() -> true);
    } else {
      long wanted = rows() + 1 + random.nextInt(400);
      eventually()
          .pollInterval(Duration.ofMillis(5))
          .until(() -> rows() >= wanted || !app.isAlive());
    }
    assertThat(app.isAlive()).as(app.log()).isTrue();
  }

  /** What is committed has had its effect, and nothing has had it twice. */
  private void assertLedgerIsExactSoFar(String topic, String when) {
    // first the offsets: what comes into the ledger later makes no difference to them
    long[] committed = new long[PARTITIONS];
    for (int partition = 0; partition < PARTITIONS; partition++) {
      committed[partition] = scene.committed(topic, partition);
    }
    Map<String, Integer> rows = ledger.rows("billing");
    assertThat(rows).as(when).allSatisfy((id, count) -> assertThat(count).isOne());
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (long offset = 0; offset < committed[partition]; offset++) {
        assertThat(rows).as(when).containsKey(partition + "-" + offset);
      }
    }
  }

  /** Publishes as fast as the ledger fills, the offset of each event in its id. */
  private void load(String topic) {
    // not the one of the kills, which the other thread uses
    Random keys = new Random(~seed);
    while (!enough.get()) {
      if (published[0] + published[1] - rows() > MOST_WAITING) {
        eventually()
            .until(() -> enough.get() || published[0] + published[1] - rows() < MOST_WAITING / 2);
      }
      List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        int partition = i % PARTITIONS;
        String id = partition + "-" + published[partition]++;
        batch.add(Scene.record(topic, partition, Scene.note("key-" + keys.nextInt(KEYS), id)));
      }
      scene.publisher().sendAll(batch);
    }
  }

  private long rows() {
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("SELECT count(*) FROM ledger")) {
      count.next();
      return count.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private String topic(GroupProtocol protocol) {
    scene.shortenSession(protocol, SESSION_MILLIS);
    return scene.topic(PARTITIONS);
  }

  private Properties configuration(GroupProtocol protocol, String topic) {
    Properties configuration =
        AppConfiguration.ofLedgerApp(scene, protocol, SESSION_MILLIS, topic, database, ledger);
    configuration.put("handlerMillis", "1");
    configuration.put("commitMillis", "50");
    return configuration;
  }
}
