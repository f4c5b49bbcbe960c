package dev.onceward.it.effect;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events of two tenants in one topic. */
@EngineTest
class TransactionSettingsIT {

  private static final int EVENTS = 400;

  private final Scene scene;
  private final Ledger ledger;

  TransactionSettingsIT(KafkaServer kafka, TestDatabase database) throws SQLException {
    scene = Scene.on(kafka);
    ledger = Ledger.in(database.dataSource());
    scene.afterClose(ledger::close);
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE seen (tenant text, bound text, tx text)");
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40})
  void eachTransactionIsBoundToItsTenantAndNoneToTwo(int batch) throws Exception {
    String topic = scene.topic(1);
    List<ProducerRecord<byte[], byte[]>> records =
        IntStream.range(0, EVENTS)
            .mapToObj(
                i ->
                    Scene.record(topic, 0, Scene.note("key-" + i, "event-" + i, "tenant-" + i % 2)))
            .toList();
    scene.publisher().sendAll(records);
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    LambdaHandlers.of("tenants", topic)
                        .on(
                            Scene.NOTED,
                            Note.class,
                            (Note note, Delivery delivery, Connection tx) -> write(tx, note.text()),
                            Guarantee.IDEMPOTENT))
                .inbox(
                    JdbcInbox.builder(ledger.dataSource()).boundSettings("app.tenant_id").build())
                .transactionSettings(
                    delivery -> Map.of("app.tenant_id", "tenant-" + (int) (delivery.offset() % 2)))
                .concurrency(2)
                .batches(BatchPolicy.of(batch)));
    eventually().until(() -> consumer.counts().applied() == EVENTS);

    assertThat(one("SELECT count(*) FROM seen WHERE tenant = bound")).isEqualTo(EVENTS);
    assertThat(
            one(
                "SELECT count(*) FROM (SELECT tx FROM seen GROUP BY tx"
                    + " HAVING count(DISTINCT tenant) > 1) mixed"))
        .isZero();
    if (batch > 1) {
      assertThat(one("SELECT count(DISTINCT tx) FROM seen")).isLessThan(EVENTS / 2);
    }
  }

  private static void write(Connection tx, String tenant) throws SQLException {
    try (PreparedStatement insert =
        tx.prepareStatement(
            "INSERT INTO seen VALUES (?, current_setting('app.tenant_id'),"
                + " pg_current_xact_id()::text)")) {
      insert.setString(1, tenant);
      insert.executeUpdate();
    }
  }

  private int one(String sql) throws SQLException {
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getInt(1);
    }
  }
}
