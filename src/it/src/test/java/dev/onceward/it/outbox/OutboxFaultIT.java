package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.ChildApp;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.producer.outbox.OutboxRelay;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Relays that die or sleep at the worst moment. */
@EngineTest
class OutboxFaultIT {

  private final OutboxScene outbox;
  private final TestDatabase database;

  OutboxFaultIT(KafkaServer kafka, TestDatabase database) {
    this.outbox = new OutboxScene(kafka, database);
    this.database = database;
  }

  @AfterEach
  void close() throws Exception {
    outbox.close();
  }

  @Test
  void aCrashBetweenSendAndDeleteSendsTwiceAndTheEffectIsThereOnce() throws Exception {
    String topic = outbox.scene().topic(1);
    try (Ledger ledger = Ledger.in(database.dataSource())) {
      outbox.append(topic, OutboxScene.event("key", 1));
      try (Connection holder = database.dataSource().getConnection();
          Statement lock = holder.createStatement()) {
        holder.setAutoCommit(false);
        holder.setSchema(outbox.schema());
        // rows can be read, and not deleted
        lock.execute("LOCK TABLE onceward_outbox IN SHARE MODE");
        ChildApp app = outbox.startApp("killed", 1_000);
        assertThat(outbox.awaitRecords(topic, 1)).hasSize(1);
        String deleting =
            " FROM pg_stat_activity WHERE query LIKE 'DELETE FROM %' AND wait_event_type = 'Lock'"
                + " AND datname = current_database()";
        eventually().until(() -> outbox.number("SELECT count(*)" + deleting) == 1);
        app.signal("KILL");
        assertThat(app.awaitExit()).isEqualTo(128 + 9);
        // the server does not know yet that nobody waits for the answer
        outbox.execute("SELECT pg_terminate_backend(pid)" + deleting);
        holder.rollback();
      }
      assertThat(outbox.number("SELECT count(*) FROM onceward_outbox")).isOne();

      OutboxRelay next = outbox.start(outbox.relay());
      assertThat(outbox.awaitRecords(topic, 2)).hasSize(2);
      assertThat(outbox.awaitEmpty(topic).duplicates()).hasSize(1);
      assertThat(next.counts().sent()).isOne();

      EventConsumer consumer =
          outbox
              .scene()
              .start(
                  outbox
                      .scene()
                      .consumer(GroupProtocol.CONSUMER, ledger.billing(topic))
                      .inbox(JdbcInbox.on(ledger.dataSource())));
      eventually().until(() -> consumer.counts().done() == 2);
      assertThat(consumer.counts().applied()).isOne();
      assertThat(consumer.counts().duplicates()).isOne();
      assertThat(ledger.rows("billing")).isEqualTo(Map.of("key/1", 1));
    }
  }

  @Test
  void aRelayThatWakesUpAfterItWasReplacedDoublesRowsAndReordersNone() throws Exception {
    String topic = outbox.scene().topic(2);
    outbox.createEntities(20);
    ChildApp sleeper = outbox.startApp("sleeper", 1_000);
    change(topic, 400);
    eventually().until(() -> outbox.number("SELECT count(*) FROM onceward_outbox") == 0);
    try (Connection holder = database.dataSource().getConnection();
        Statement lock = holder.createStatement()) {
      holder.setAutoCommit(false);
      holder.setSchema(outbox.schema());
      change(topic, 2_000);
      lock.execute("LOCK TABLE onceward_outbox IN SHARE MODE");
      eventually().until(() -> outbox.occurrences(topic).distinct() > 500);
      sleeper.signal("STOP");
      holder.rollback();
    }
    OutboxRelay next = outbox.start(outbox.relay());
    eventually().until(() -> next.health().shards() == 16);
    change(topic, 400);
    sleeper.signal("CONT");
    change(topic, 400);

    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.violations()).isEmpty();
    assertThat(found.distinct()).isEqualTo(outbox.changes());
    sleeper.signal("TERM");
    assertThat(sleeper.awaitExit()).as(sleeper.log()).isEqualTo(128 + 15);
    assertThat(outbox.occurrences(topic).violations()).isEmpty();
  }

  @Test
  void rowsPublishedLongAgoThatASnapshotHoldsAreNoHindrance() throws Exception {
    String topic = outbox.scene().topic(2);
    outbox.createEntities(20);
    OutboxRelay relay = outbox.start(outbox.relay());
    try (Connection report = database.dataSource().getConnection();
        Statement statement = report.createStatement()) {
      report.setAutoCommit(false);
      report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT count(*) FROM pg_class");
      for (int round = 0; round < 5; round++) {
        change(topic, 1_000);
        eventually().until(() -> outbox.number("SELECT count(*) FROM onceward_outbox") == 0);
      }
      assertThat(relay.counts().overlooked()).isZero();
      report.rollback();
    }
    Occurrences found = outbox.awaitEmpty(topic);
    assertThat(found.violations()).isEmpty();
    assertThat(found.distinct()).isEqualTo(5_000);
  }

  private void change(String topic, int times) {
    for (int i = 0; i < times; i += 20) {
      outbox.commit(
          tx -> {
            for (int key = 0; key < 20; key++) {
              outbox.change(tx, topic, "key-" + key);
            }
          });
    }
  }
}
