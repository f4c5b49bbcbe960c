package dev.onceward.it.outbox;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.scene.EngineTest;
import dev.onceward.producer.outbox.OutboxRelay;
import dev.onceward.testkit.ChildKafka;
import dev.onceward.testkit.PostgresServer;
import dev.onceward.testkit.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Broker and database go away under a relay and come back. Both are of its own. */
@EngineTest
@TestInstance(Lifecycle.PER_CLASS)
class OutboxOutageIT {

  private ChildKafka kafka;
  private PostgresServer postgres;

  @BeforeAll
  void start() {
    kafka = ChildKafka.start();
    postgres = PostgresServer.start();
  }

  @AfterAll
  void stop() {
    kafka.close();
    postgres.close();
  }

  @Test
  void whileTheBrokerIsDownRowsWaitAndNoneIsGivenUp() throws Exception {
    try (TestDatabase database = postgres.createDatabase("broker_outage");
        OutboxScene outbox = new OutboxScene(kafka, database)) {
      String topic = outbox.scene().topic(2);
      outbox.createEntities(20);
      OutboxRelay relay =
          outbox.start(
              outbox.relay(
                  Map.of(
                      "delivery.timeout.ms", "3000",
                      "request.timeout.ms", "2000",
                      "max.block.ms", "2000")));
      change(outbox, topic, 20);
      eventually().until(() -> relay.counts().deleted() == 400);

      kafka.kill();
      change(outbox, topic, 50);
      eventually()
          .until(
              () ->
                  relay.health().problems().stream().anyMatch(line -> line.startsWith("sending:")));
      assertThat(relay.health().live()).isTrue();
      kafka.restart();
      change(outbox, topic, 10);

      Occurrences found = outbox.awaitEmpty(topic);
      assertThat(found.violations()).isEmpty();
      assertThat(found.distinct()).isEqualTo(outbox.changes()).isEqualTo(1_600);
      assertThat(outbox.admin().deadRows(1)).isEmpty();
      assertThat(relay.counts().dead()).isZero();
      eventually().until(() -> relay.health().problems().isEmpty());
    }
  }

  @Test
  void whenTheDatabaseComesBackTheRelayGoesOn() throws Exception {
    try (TestDatabase database = postgres.createDatabase("database_outage");
        OutboxScene outbox = new OutboxScene(kafka, database)) {
      String topic = outbox.scene().topic(2);
      outbox.createEntities(20);
      OutboxRelay relay = outbox.start(outbox.relay());
      change(outbox, topic, 20);
      eventually().until(() -> relay.counts().deleted() == 400);
      change(outbox, topic, 50);

      postgres.kill();
      eventually().until(() -> !relay.health().problems().isEmpty());
      postgres.restart();
      change(outbox, topic, 20);

      Occurrences found = outbox.awaitEmpty(topic);
      assertThat(found.violations()).isEmpty();
      assertThat(found.distinct()).isEqualTo(outbox.changes()).isEqualTo(1_800);
      eventually().until(() -> relay.health().problems().isEmpty());
      assertThat(relay.health().shards()).isEqualTo(16);
      assertThat(relay.counts().overlooked()).isZero();
    }
  }

  private static void change(OutboxScene outbox, String topic, int rounds) {
    eventually().ignoreExceptions().until(() -> outbox.number("SELECT count(*) FROM entity") == 20);
    for (int round = 0; round < rounds; round++) {
      outbox.commit(
          tx -> {
            for (int key = 0; key < 20; key++) {
              outbox.change(tx, topic, "key-" + key);
            }
          });
    }
  }
}
