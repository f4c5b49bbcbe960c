package dev.onceward.it.effect;

import static dev.onceward.it.scene.Scene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.consumer.LambdaHandlers.TransactionalHandler;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.it.scene.EngineTest;
import dev.onceward.it.scene.GroupProtocol;
import dev.onceward.it.scene.Ledger;
import dev.onceward.it.scene.Note;
import dev.onceward.it.scene.Scene;
import dev.onceward.testkit.KafkaServer;
import dev.onceward.testkit.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deliveries that share a transaction. */
@EngineTest
class BatchIT {

  private static final int EVENTS = 1_500;
  private static final int KEYS = 60;

  private final Scene scene;
  private final Ledger ledger;
  private final JdbcInbox inbox;

  BatchIT(KafkaServer kafka, TestDatabase database) throws SQLException {
    scene = Scene.on(kafka);
    ledger = Ledger.in(database.dataSource());
    inbox = JdbcInbox.on(ledger.dataSource());
    scene.afterClose(ledger::close);
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE applied (event_id text, position bigserial, tx text)");
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource
  void poisonAndDuplicatesCostNobodyElseAnythingAndFewTransactionsDoTheWork(GroupProtocol protocol)
      throws Exception {
    String topic = scene.topic(2);
    for (int partition = 0; partition < 2; partition++) {
      scene.publishNotes(topic, partition, EVENTS / 2, KEYS);
    }
    // each once more, by its producer
    scene.publisher().sendAll(again(topic, 100));
    Set<Integer> attempts = ConcurrentHashMap.newKeySet();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    protocol,
                    handler(
                        topic,
                        (note, delivery, tx) -> {
                          if (isPoison(note)) {
                            throw new IOException("never");
                          }
                          attempts.add(delivery.attempt());
                          write(tx, note.text());
                        }))
                .inbox(inbox)
                .concurrency(4)
                .batches(BatchPolicy.of(100))
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxAttempts(2)
                        .initialDelay(Duration.ofMillis(1))
                        .build()));
    eventually().until(() -> consumer.counts().done() == EVENTS + 100);

    Map<String, Integer> rows = rows();
    int poison = 2 * ((EVENTS / 2 + 249) / 250);
    assertThat(rows).hasSize(EVENTS - poison);
    assertThat(rows.values()).as("each once").allMatch(times -> times == 1);
    assertThat(rows.keySet()).noneMatch(text -> isPoison(new Note(text)));
    assertThat(attempts).as("nobody but the poison has used up an attempt").containsExactly(1);
    assertThat(consumer.counts().deadLettered()).isEqualTo(poison);
    assertThat(consumer.counts().duplicates()).isEqualTo(100);
    assertThat(transactions()).isLessThan(EVENTS / 2);
    assertKeysInOrder(KEYS);
  }

  @Test
  void aHandlerOfListsGetsTheEventsThatAreFreshInTheOrderOfTheirKeys() throws Exception {
    String topic = scene.topic(1);
    scene.publishNotes(topic, 0, 600, 20);
    Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
    EventConsumer consumer =
        scene.start(
            scene
                .consumer(
                    GroupProtocol.CONSUMER,
                    LambdaHandlers.of("lists", topic)
                        .onBatch(
                            Scene.NOTED,
                            Note.class,
                            (notes, deliveries, tx) -> {
                              sizes.add(notes.size());
                              assertThat(deliveries).hasSameSizeAs(notes);
                              for (Note note : notes) {
                                write(tx, note.text());
                              }
                            },
                            Guarantee.IDEMPOTENT))
                .inbox(inbox)
                .concurrency(2));
    eventually().until(() -> consumer.counts().applied() == 600);

    assertThat(rows()).hasSize(600);
    assertThat(sizes).anyMatch(size -> size > 10);
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(600);
    assertKeysInOrder(20);
  }

  private static boolean isPoison(Note note) {
    return Integer.parseInt(note.text().substring(2)) % 250 == 249;
  }

  private static LambdaHandlers handler(String topic, TransactionalHandler<Note> handler) {
    return LambdaHandlers.of("batches", topic)
        .on(Scene.NOTED, Note.class, handler, Guarantee.IDEMPOTENT);
  }

  private static List<ProducerRecord<byte[], byte[]>> again(String topic, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Scene.record(topic, 0, Scene.note("key-" + i % KEYS, "0-" + i)))
        .toList();
  }

  private static void write(Connection tx, String eventId) throws SQLException {
    try (PreparedStatement insert =
        tx.prepareStatement(
            "INSERT INTO applied (event_id, tx) VALUES (?, pg_current_xact_id()::text)")) {
      insert.setString(1, eventId);
      insert.executeUpdate();
    }
  }

  private Map<String, Integer> rows() throws SQLException {
    Map<String, Integer> rows = new TreeMap<>();
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT event_id FROM applied")) {
      while (found.next()) {
        rows.merge(found.getString(1), 1, Integer::sum);
      }
    }
    return rows;
  }

  private int transactions() throws SQLException {
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("SELECT count(DISTINCT tx) FROM applied")) {
      count.next();
      return count.getInt(1);
    }
  }

  /** Texts are the partition and a running number, and the keys come in turn. */
  private void assertKeysInOrder(int keys) throws SQLException {
    Map<String, Integer> last = new TreeMap<>();
    try (Connection connection = ledger.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT event_id FROM applied ORDER BY position")) {
      while (found.next()) {
        String text = found.getString(1);
        int number = Integer.parseInt(text.substring(2));
        Integer before = last.put(text.charAt(0) + "/" + number % keys, number);
        assertThat(before == null || before < number).as("%s after %s", text, before).isTrue();
      }
    }
  }
}
