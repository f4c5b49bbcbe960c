package dev.onceward.it.engine;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A running consumer whose handlers leave something behind, or wait for connections. */
@EngineTest
class HygieneIT {

  private final Scene scene;
  private final PostgresServer postgres;

  HygieneIT(KafkaServer kafka, PostgresServer postgres) {
    scene = Scene.on(kafka);
    this.postgres = postgres;
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void aHandlerThatLeavesALockIsTriedAgainAndItsEventTakesEffectOnce() {
    try (Ledger ledger = Ledger.in(postgres.dataSource());
        scene) {
      String topic = scene.topic(1);
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(
                      GroupProtocol.CONSUMER,
                      LambdaHandlers.of("billing", topic)
                          .on(
                              Scene.NOTED,
                              Note.class,
                              (note, delivery, tx) -> {
                                ledger.add(tx, "billing", delivery.event().getId());
                                if (delivery.attempt() == 1) {
                                  lock(tx);
                                }
                                Thread.currentThread().interrupt();
                              },
                              Guarantee.IDEMPOTENT))
                  .retryPolicy(RetryPolicy.builder().initialDelay(Duration.ofMillis(10)).build())
                  .inbox(JdbcInbox.on(ledger.dataSource())));
      scene.publisher().publish(topic, List.of(Scene.note("a", "a1"), Scene.note("b", "b1")));

      eventually().until(() -> consumer.counts().applied() == 2);

      assertThat(ledger.rows("billing")).isEqualTo(Map.of("a1", 1, "b1", 1));
      assertThat(consumer.counts().retries()).isEqualTo(2);
      assertThat(consumer.counts().deadLettered()).isZero();
      assertThat(consumer.leaks()).isEqualTo(Map.of("advisory_lock", 2L, "interrupt", 4L));
    }
  }

  private static void lock(Connection tx) throws SQLException {
    try (Statement statement = tx.createStatement()) {
      statement.execute("SELECT pg_advisory_lock_shared(1)");
    }
  }

  @Test
  void whileItsHandlersWaitLongForConnectionsItIsLiveAndNotReady() throws Exception {
    try (Ledger ledger = Ledger.in(postgres.dataSource());
        HikariDataSource pool = poolOfOne(ledger.schema());
        scene) {
      String topic = scene.topic(1);
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(GroupProtocol.CONSUMER, ledger.billing(topic))
                  .inbox(JdbcInbox.on(pool)));
      eventually().until(() -> consumer.health().ready());
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isClosed()).isFalse();
        scene.publisher().publish(topic, Scene.note("a", "a1"));
        eventually().until(() -> !consumer.health().ready());
        assertThat(consumer.health().live()).isTrue();
        assertThat(consumer.health().problems())
            .singleElement()
            .asString()
            .startsWith("connection pool: 1 handlers wait for a connection");
      }
      eventually().until(() -> consumer.counts().applied() == 1);
      eventually().until(() -> consumer.health().ready());
      assertThat(consumer.counts().retries()).isZero();
    }
  }

  private HikariDataSource poolOfOne(String schema) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(postgres.dataSource());
    config.setSchema(schema);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(120_000);
    return new HikariDataSource(config);
  }
}
