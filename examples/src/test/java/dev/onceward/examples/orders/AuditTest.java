package dev.onceward.examples.orders;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventWriter;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.examples.Sql;
import dev.onceward.examples.orders.OrderEvents.OrderCancelled;
import dev.onceward.examples.orders.OrderEvents.OrderPaid;
import dev.onceward.examples.orders.OrderEvents.OrderPlaced;
import dev.onceward.testkit.PostgresServer;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The audit of the demo finds each kind of damage; otherwise its verdict were worth nothing. */
@TestInstance(Lifecycle.PER_CLASS)
class AuditTest {

  private static final String GROUP = "billing";

  /** What the application must have written for the records of {@link #topic}. */
  private static final String RIGHT =
      """
      TRUNCATE ledger, shipment, shipment_journal;
      INSERT INTO ledger (event_id, order_id, kind, amount_cents, published_at) VALUES
        ('a1', 'a', 'CHARGE', 500, now()), ('a2', 'a', 'PAYMENT', -500, now()),
        ('a3', 'a', 'REFUND', -500, now()),
        ('b1', 'b', 'CHARGE', 70, now()), ('b2', 'b', 'PAYMENT', -70, now());
      INSERT INTO shipment_journal (event_id, order_id, version, published_at) VALUES
        ('a1', 'a', 1, now()), ('a2', 'a', 2, now()), ('a3', 'a', 3, now()),
        ('b2', 'b', 2, now());
      INSERT INTO shipment (order_id, version, state) VALUES
        ('a', 3, 'CALLED_OFF'), ('b', 2, 'TO_SHIP');
      """;

  private final PostgresServer server = PostgresServer.start();
  private final DataSource database = server.createDatabase("audit").dataSource();

  @BeforeAll
  void createTables() throws SQLException {
    Sql.runScript(database, OrdersCommand.class, "orders.sql");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @BeforeEach
  void writeWhatIsRight() throws SQLException {
    execute(RIGHT);
  }

  @Test
  void tablesThatAreRightHaveNoFindings() throws SQLException {
    Audit audit = audit();

    assertThat(audit.findings()).isEmpty();
    assertThat(audit.records()).isEqualTo(9);
    assertThat(audit.expected()).isEqualTo(9);
    assertThat(audit.applied()).isEqualTo(9);
    assertThat(audit.duplicates()).isEqualTo(2);
    assertThat(audit.stale()).isEqualTo(1);
    assertThat(audit.deadLettered()).isEqualTo(3);
    assertThat(audit.lost()).isZero();
    assertThat(audit.doubled()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DELETE FROM ledger WHERE event_id = 'a2'                    | ledger: the effect of event a2 is missing
          DELETE FROM shipment_journal WHERE event_id = 'b2'          | shipment_journal: the effect of event b2 is missing
          UPDATE ledger SET amount_cents = 501 WHERE event_id = 'a1'  | ledger: event a1 is
          UPDATE ledger SET amount_cents = 500 WHERE event_id = 'a2'  | ledger: event a2 is
          UPDATE ledger SET kind = 'REFUND' WHERE event_id = 'a2'     | ledger: event a2 is
          UPDATE ledger SET order_id = 'b' WHERE event_id = 'a1'      | ledger: event a1 is
          UPDATE shipment_journal SET version = 1 WHERE event_id = 'a3'    | shipment_journal: event a3 is
          UPDATE shipment_journal SET order_id = 'b' WHERE event_id = 'a3' | shipment_journal: event a3 is
          """)
  void aMissingOrWrongRowIsAnEffectLost(String damage, String finding) throws SQLException {
    execute(damage);

    Audit audit = audit();

    assertThat(audit.findings()).anyMatch(found -> found.startsWith(finding));
    assertThat(audit.lost()).isEqualTo(1);
    assertThat(audit.applied()).isEqualTo(8);
    assertThat(audit.doubled()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INSERT INTO ledger SELECT * FROM ledger WHERE event_id = 'b1'                     | ledger: event b1 took effect 2 times
          INSERT INTO shipment_journal SELECT * FROM shipment_journal WHERE event_id = 'a3' | shipment_journal: event a3 took effect 2 times
          INSERT INTO shipment_journal VALUES ('b1', 'b', 1, now())                         | shipment_journal: event b1 must have no effect
          INSERT INTO ledger VALUES ('p3', 'a', 'CHARGE', -1, now())                        | ledger: event p3 must have no effect
          INSERT INTO ledger VALUES ('unknown', 'a', 'CHARGE', 5, now())                    | ledger: event unknown must have no effect
          """)
  void aDoubledOrSurplusRowIsAnEffectTooMany(String damage, String finding) throws SQLException {
    execute(damage);

    Audit audit = audit();

    assertThat(audit.findings()).containsExactly(finding);
    assertThat(audit.doubled()).isEqualTo(1);
    assertThat(audit.applied()).isEqualTo(9);
    assertThat(audit.lost()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UPDATE shipment SET version = 2 WHERE order_id = 'a'         | shipment: order a is
          UPDATE shipment SET state = 'WAITING' WHERE order_id = 'b'   | shipment: order b is
          DELETE FROM shipment WHERE order_id = 'b'                    | shipment: order b is null
          INSERT INTO shipment VALUES ('mallory', 9, 'TO_SHIP')        | shipment: order mallory must not be there
          UPDATE shipment SET order_id = 'c' WHERE order_id = 'b'      | shipment: order c must not be there
          """)
  void aShipmentThatIsNotTheNewestStateIsFound(String damage, String finding) throws SQLException {
    execute(damage);

    assertThat(audit().findings()).anyMatch(found -> found.startsWith(finding));
  }

  @Test
  void aMissingDeadLetterIsFoundAndLost() throws SQLException {
    Audit audit = auditOfTables();

    audit.compareDeadLetters(GROUP, List.of(letter(0, 6), letter(1, 2)));

    assertThat(audit.findings()).containsExactly("billing: poison record 0@7 is not dead-lettered");
    assertThat(audit.lost()).isEqualTo(1);
    assertThat(audit.deadLettered()).isEqualTo(2);
  }

  @Test
  void aDeadLetterOfAGoodRecordIsFound() throws SQLException {
    Audit audit = auditOfTables();
    List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>(lettersOfAllPoison());
    letters.add(letter(0, 1));

    audit.compareDeadLetters(GROUP, letters);

    assertThat(audit.findings())
        .containsExactly("billing: record 0@1 is dead-lettered and is no poison");
  }

  @Test
  void aDeadLetterThatDoesNotSayWhereItIsFromIsFound() throws SQLException {
    Audit audit = auditOfTables();
    List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>(lettersOfAllPoison());
    letters.add(consumed(0, 3, null, new byte[0], new RecordHeaders()));

    audit.compareDeadLetters(GROUP, letters);

    assertThat(audit.findings()).hasSize(1);
  }

  private Audit audit() throws SQLException {
    Audit audit = auditOfTables();
    audit.compareDeadLetters(GROUP, lettersOfAllPoison());
    return audit;
  }

  private Audit auditOfTables() throws SQLException {
    Audit audit = new Audit();
    topic().forEach(audit::record);
    audit.compare(database);
    return audit;
  }

  /** Order a comes in order, b comes out of order, a1 comes twice, and there is poison. */
  private static List<ConsumerRecord<byte[], byte[]>> topic() {
    Event a1 = event("a1", "a", OrderEvents.PLACED, 1, new OrderPlaced("a", "ada", 500));
    Event broken =
        event("p2", "a", OrderEvents.PLACED, 9, new OrderPlaced("a", "ada", 1)).toBuilder()
            .data("{\"orderId\": ".getBytes(UTF_8), "application/json")
            .build();
    return List.of(
        consumed(0, 0, a1),
        consumed(0, 1, event("a2", "a", OrderEvents.PAID, 2, new OrderPaid("a", 500))),
        consumed(0, 2, a1),
        consumed(
            0, 3, event("a3", "a", OrderEvents.CANCELLED, 3, new OrderCancelled("a", "why", 500))),
        consumed(0, 6, "a".getBytes(UTF_8), "no event".getBytes(UTF_8), new RecordHeaders()),
        consumed(0, 7, broken),
        consumed(1, 0, event("b2", "b", OrderEvents.PAID, 2, new OrderPaid("b", 70))),
        consumed(1, 1, event("b1", "b", OrderEvents.PLACED, 1, new OrderPlaced("b", "bob", 70))),
        consumed(1, 2, event("p3", "b", OrderEvents.PLACED, 9, new OrderPlaced("b", "mal", -1))));
  }

  private static List<ConsumerRecord<byte[], byte[]>> lettersOfAllPoison() {
    return List.of(letter(0, 6), letter(0, 7), letter(1, 2));
  }

  private static ConsumerRecord<byte[], byte[]> letter(int partition, long offset) {
    Headers headers = new RecordHeaders();
    headers.add("__dlq.errors.partition", Integer.toString(partition).getBytes(UTF_8));
    headers.add("__dlq.errors.offset", Long.toString(offset).getBytes(UTF_8));
    return consumed(partition, 0, null, new byte[0], headers);
  }

  private static Event event(String id, String order, String type, long version, Object payload) {
    return Event.builder()
        .id(id)
        .source(URI.create("/acme/orders"))
        .type(type)
        .subject(order)
        .entityVersion(version)
        .data(payload, JacksonPayloadMapper.standard())
        .build();
  }

  private static ConsumerRecord<byte[], byte[]> consumed(int partition, long offset, Event event) {
    ProducerRecord<byte[], byte[]> sent = EventWriter.binary().write(OrderEvents.TOPIC, event);
    return consumed(partition, offset, sent.key(), sent.value(), sent.headers());
  }

  private static ConsumerRecord<byte[], byte[]> consumed(
      int partition, long offset, byte @Nullable [] key, byte[] value, Headers headers) {
    return new ConsumerRecord<>(
        OrderEvents.TOPIC,
        partition,
        offset,
        0,
        TimestampType.CREATE_TIME,
        -1,
        value.length,
        key,
        value,
        headers,
        Optional.empty());
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
