package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.Scene;
import dev.onceward.producer.outbox.OutboxRelay;
import dev.onceward.producer.outbox.RelayHealth.State;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows are all sent, in the order of their keys, whoever writes and whoever sends. */
@EngineTest
class OutboxOrderIT {

  private static final int WRITERS = 8;
  private static final int KEYS = 20;

  private final OutboxScene outbox;

  OutboxOrderIT(KafkaServer kafka, TestDatabase database) {
    outbox = new OutboxScene(kafka, database);
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
  }

  @Test
  void keysKeepTheirOrderAndNothingIsLostOrDoubledWithManyWritersAndTwoRelays() {
    String topic = outbox.scene().topic(4);
    outbox.createEntities(KEYS);
    OutboxRelay one = outbox.start(outbox.relay().name("one"));
    OutboxRelay two = outbox.start(outbox.relay().name("two"));
    eventually().until(() -> one.health().shards() == 8 && two.health().shards() == 8);

    write(topic, 4_000);

    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.violations()).isEmpty();
    assertThat(found.duplicates()).isEmpty();
    assertThat(found.distinct()).isEqualTo(outbox.changes()).isGreaterThanOrEqualTo(4_000);
    assertThat(one.counts().sent() + two.counts().sent()).isEqualTo(found.distinct());
    assertThat(one.counts().overlooked() + two.counts().overlooked()).isZero();
    assertThat(one.health().problems()).isEmpty();
  }

  @Test
  void relaysThatComeAndGoInOrderShareTheWorkAndDoubleNothing() {
    String topic = outbox.scene().topic(2);
    outbox.createEntities(KEYS);
    OutboxRelay first = outbox.start(outbox.relay().name("first"));
    AtomicBoolean enough = new AtomicBoolean();
    CompletableFuture<Void> load = Scene.inBackground(() -> writeUntil(topic, enough));
    eventually().until(() -> first.counts().sent() > 200);

    OutboxRelay second = outbox.start(outbox.relay().name("second"));
    eventually().until(() -> first.health().shards() == 8 && second.health().shards() == 8);
    eventually().until(() -> second.counts().sent() > 200);
    first.close();
    eventually().until(() -> second.health().shards() == 16);
    long sent = second.counts().sent();
    eventually().until(() -> second.counts().sent() > sent + 200);
    enough.set(true);
    load.join();

    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.violations()).isEmpty();
    assertThat(found.duplicates()).isEmpty();
    assertThat(found.distinct()).isEqualTo(outbox.changes());
    assertThat(first.counts().shardsGivenUp()).isEqualTo(8);
    assertThat(first.health().state()).isEqualTo(State.STOPPED);
    assertThat(first.health().live()).isFalse();
  }

  @Test
  void rowsOfATransactionThatCommitsLateAreSentAndNotOverlooked() throws SQLException {
    String topic = outbox.scene().topic(2);
    outbox.createEntities(KEYS);
    OutboxRelay relay = outbox.start(outbox.relay());
    try (Connection late = outbox.dataSource().getConnection()) {
      late.setAutoCommit(false);
      outbox.change(late, topic, "key-0");
      // long enough for many looks at the low-water mark
      write(topic, 1_500, 1);
      eventually().until(() -> relay.counts().deleted() >= 1_500);
      late.commit();
    }

    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.versions("key-0")).containsExactly(1L);
    assertThat(found.distinct()).isEqualTo(outbox.changes());
    assertThat(found.violations()).isEmpty();
    assertThat(relay.counts().overlooked()).isZero();
  }

  @Test
  void whatIsRolledBackIsNotSent() {
    String topic = outbox.scene().topic(1);
    outbox.createEntities(1);
    outbox.start(outbox.relay());
    try (Connection connection = outbox.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      outbox.change(connection, topic, "key-0");
      connection.rollback();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    outbox.append(topic, OutboxScene.event("key-1", 1));

    assertThat(outbox.awaitRecords(topic, 1)).hasSize(1);
    assertThat(outbox.awaitEmpty(topic).keys()).containsExactly("key-1");
  }

  /** Changes entities in so many transactions of one to three events, on many threads. */
  private void write(String topic, int atLeast) {
    write(topic, atLeast, 0);
  }

  private void write(String topic, int atLeast, int firstKey) {
    AtomicInteger left = new AtomicInteger(atLeast);
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(
          Scene.inBackground(
              () -> {
                while (left.get() > 0) {
                  left.addAndGet(-writeOnce(topic, firstKey));
                }
              }));
    }
    writers.forEach(CompletableFuture::join);
  }

  private void writeUntil(String topic, AtomicBoolean enough) {
    while (!enough.get()) {
      int unused = writeOnce(topic, 0);
      if (outbox.number("SELECT count(*) FROM onceward_outbox") > 500) {
        eventually().until(() -> outbox.number("SELECT count(*) FROM onceward_outbox") < 100);
      }
    }
  }

  private int writeOnce(String topic, int firstKey) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int events = 1 + random.nextInt(3);
    String key = "key-" + (firstKey + random.nextInt(KEYS - firstKey));
    outbox.commit(
        tx -> {
          for (int i = 0; i < events; i++) {
            outbox.change(tx, topic, key);
          }
        });
    return events;
  }
}
