package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.envelope.Event;
import dev.onceward.it.guarantee.ChaosTest;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two relays in processes of their own, of which one is killed every three seconds, eight writers
 * on a hundred keys, and a broker that is killed once: nothing is lost, nothing comes for the first
 * time before what was appended before it, and nothing comes twice without a crash.
 */
@EngineTest
class OutboxKillIT {

  private static final int WRITERS = 8;
  private static final int KEYS = 100;
  private static final int LEASE_MILLIS = 2_500;
  private static final Duration BETWEEN_KILLS = Duration.ofSeconds(3);

  /** Rows that wait at most; a killed relay's rows wait for its lease to end. */
  private static final long MOST_WAITING = 20_000;

  /** From what was sent before a crash to what is sent again after it: the lease, and the work. */
  private static final long WITHIN_MILLIS = 60_000;

  /** From when to when something died, in epoch milliseconds. */
  private record Crash(long begin, long end) {}

  private final ChildKafka kafka = ChildKafka.start();
  private final OutboxScene outbox;
  private final AtomicLong written = new AtomicLong();
  private volatile long wanted;
  private volatile long perSecond;
  private volatile boolean enough;
  private final List<Crash> crashes = new ArrayList<>();

  OutboxKillIT(TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    enough = true;
    outbox.close();
    kafka.close();
  }

  @Test
  void nothingIsLostOrReorderedWhenRelaysAndTheBrokerAreKilled() throws Exception {
    killAgainAndAgain(4_000, 500, 3);
  }

  @Test
  @ChaosTest
  void nothingIsLostOrReorderedInTwoHundredThousandRowsWithAKillEveryThreeSeconds()
      throws Exception {
    killAgainAndAgain(Long.getLong("onceward.outbox.rows", 200_000), 20_000, 10);
  }

  private void killAgainAndAgain(long rows, long rowsPerSecond, int leastKills) throws Exception {
    String topic = outbox.scene().topic(6);
    outbox.createEntities(KEYS);
    wanted = rows;
    perSecond = rowsPerSecond;
    List<ChildApp> relays = new ArrayList<>();
    relays.add(startRelay(0));
    relays.add(startRelay(1));
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(Scene.inBackground(() -> write(topic)));
    }
    awaitSent(topic, 1);
    int kills = 0;
    while (written.get() < wanted || kills < leastKills) {
      await().pollDelay(BETWEEN_KILLS).atMost(Duration.ofMinutes(1)).until(() -> true);
      if (kills == leastKills / 2) {
        long begin = System.currentTimeMillis();
        kafka.kill();
        kafka.restart();
        crashes.add(new Crash(begin, System.currentTimeMillis()));
      }
      int which = kills % 2;
      ChildApp relay = relays.get(which);
      assertThat(relay.isAlive()).as(relay.log()).isTrue();
      long begin = System.currentTimeMillis();
      relay.signal("KILL");
      assertThat(relay.awaitExit()).isEqualTo(128 + 9);
      crashes.add(new Crash(begin, System.currentTimeMillis()));
      relay.close();
      kills++;
      relays.set(which, startRelay(kills + 1));
    }
    enough = true;
    writers.forEach(CompletableFuture::join);
    eventually()
        .atMost(Duration.ofMinutes(5))
        .until(() -> outbox.number("SELECT count(*) FROM onceward_outbox") == 0);

    Occurrences found = outbox.occurrences(topic);
    System.out.printf(
        "outbox: %d rows, %d kills, %d events, %d violations, %d duplicates, %d without a crash%n",
        outbox.changes(),
        kills,
        found.distinct(),
        found.violations().size(),
        found.duplicates().size(),
        unexplained(found).size());
    assertThat(found.distinct()).isEqualTo(outbox.changes()).isGreaterThanOrEqualTo(rows);
    assertThat(found.violations()).isEmpty();
    assertThat(unexplained(found)).isEmpty();
    assertThat(outbox.admin().deadRows(10)).isEmpty();
    for (ChildApp relay : relays) {
      assertThat(relay.isAlive()).as(relay.log()).isTrue();
      assertThat(relay.log()).doesNotContain("overlooked").doesNotContain("has failed");
    }
  }

  private ChildApp startRelay(int number) {
    return outbox.startApp("relay-" + number, LEASE_MILLIS);
  }

  private void awaitSent(String topic, int count) {
    assertThat(outbox.awaitRecords(topic, count)).isNotEmpty();
  }

  /** Those that were not sent before a crash and again after it. */
  private List<Occurrences.Duplicate> unexplained(Occurrences found) {
    return found.duplicates().stream()
        .filter(
            twice ->
                crashes.stream()
                    .noneMatch(
                        crash ->
                            twice.firstSent() <= crash.end()
                                && twice.sentAgain() >= crash.begin()
                                && twice.sentAgain() - twice.firstSent() < WITHIN_MILLIS))
        .toList();
  }

  private void write(String topic) {
    long begin = System.nanoTime();
    while (!enough) {
      eventually()
          .until(
              () -> enough || written.get() < (System.nanoTime() - begin) / 1e9 * perSecond + 100);
      ThreadLocalRandom random = ThreadLocalRandom.current();
      int events = 1 + random.nextInt(10);
      String key = "key-" + random.nextInt(KEYS);
      outbox.commit(tx -> change(tx, topic, key, events));
      if (written.addAndGet(events) % 50 < events
          && outbox.number("SELECT count(*) FROM onceward_outbox") > MOST_WAITING) {
        eventually()
            .pollInterval(Duration.ofMillis(200))
            .until(() -> outbox.number("SELECT count(*) FROM onceward_outbox") < MOST_WAITING / 2);
      }
    }
  }

  private void change(Connection tx, String topic, String key, int events) throws SQLException {
    List<Event> changes = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      changes.add(OutboxScene.changed(tx, key));
    }
    outbox.outbox().appendAll(tx, topic, changes);
  }
}
