package dev.onceward.it.fault;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TcpProxy;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The connection to the database breaks after COMMIT was sent and before its answer: nobody can
 * tell whether the effect is there, and it is there once in the end.
 */
@EngineTest
class CommitCutIT {

  private static final int EVENTS = 30;

  private final Scene scene;
  private final TestDatabase database;

  CommitCutIT(KafkaServer kafka, TestDatabase database) {
    scene = Scene.on(kafka);
    this.database = database;
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void anEffectWhoseCommitIsNeverAnsweredIsThereOnce() throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, EVENTS, 10);
    try (TcpProxy proxy = TcpProxy.to(database.server().port());
        Ledger direct = Ledger.in(database.dataSource());
        Ledger ledger = Ledger.open(through(proxy), direct.schema())) {
      // what is deferred to the commit happens in the commit: it lasts until this test has cut it
      execute(
          direct,
          """
          CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END $$
          """,
          """
          CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON ledger DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (new.event_id = '0-7') EXECUTE FUNCTION linger()
          """);
      EventConsumer consumer =
          scene.start(
              scene
                  .consumer(GroupProtocol.CONSUMER, ledger.billing(topic))
                  .inbox(JdbcInbox.on(ledger.dataSource()))
                  .concurrency(4)
                  // the cut is not the event's fault
                  .retryPolicy(
                      RetryPolicy.builder()
                          .maxAttempts(1)
                          .initialDelay(Duration.ofMillis(20))
                          .maxDelay(Duration.ofMillis(200))
                          .build()));
      eventually().until(() -> isCommitting(direct));
      proxy.cut();

      eventually().until(() -> scene.committedInAll() == EVENTS);
      assertThat(ledger.rows("billing"))
          .isEqualTo(
              IntStream.range(0, EVENTS).boxed().collect(Collectors.toMap(i -> "0-" + i, i -> 1)));
      assertThat(consumer.counts().duplicates()).as("found to be there").isGreaterThanOrEqualTo(1);
      assertThat(consumer.counts().done()).isEqualTo(EVENTS);
      assertThat(consumer.counts().deadLettered()).isZero();
      eventually().until(() -> consumer.health().problems().isEmpty());
    }
  }

  private PGSimpleDataSource through(TcpProxy proxy) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setPortNumbers(new int[] {proxy.port()});
    source.setUser(database.user());
    source.setPassword(database.password());
    return source;
  }

  private static void execute(Ledger ledger, String... statements) throws SQLException {
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static boolean isCommitting(Ledger ledger) throws SQLException {
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet sleeping =
            statement.executeQuery(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query ILIKE 'COMMIT%' AND wait_event = 'PgSleep'")) {
      return sleeping.next();
    }
  }
}
