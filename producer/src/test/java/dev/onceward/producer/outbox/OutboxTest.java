package dev.onceward.producer.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.PolicyAction;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.envelope.TypeNaming;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final String TOPIC = "orders.order.events";

  private final Outbox outbox = Outbox.standard();

  @BeforeEach
  void createTables() throws SQLException {
    OutboxAdmin.on(DATABASE.dataSource()).createSchema();
    DATABASE.execute("DELETE FROM onceward_outbox");
  }

  @Test
  void rowsAreThereWhenTheTransactionCommitsAndNotBefore() throws SQLException {
    try (Connection tx = DATABASE.transaction()) {
      outbox.append(tx, TOPIC, event("a", "1"));
      assertThat(ids()).isEmpty();
      tx.commit();
      assertThat(ids()).containsExactly("1");
      outbox.append(tx, TOPIC, event("a", "2"));
      tx.rollback();
    }
    assertThat(ids()).containsExactly("1");
  }

  @Test
  void manyAreStoredInTheirOrderWithOneStatement() throws SQLException {
    List<Event> events =
        IntStream.range(0, 200).mapToObj(i -> event("k" + i % 7, "e" + i)).toList();
    try (Connection tx = DATABASE.transaction()) {
      outbox.appendAll(tx, TOPIC, events);
      outbox.appendAll(tx, TOPIC, List.of());
      tx.commit();
    }
    assertThat(ids()).containsExactlyElementsOf(events.stream().map(Event::getId).toList());
    assertThat(
            DATABASE.texts(
                "SELECT DISTINCT bucket || ' ' || convert_from(key, 'UTF8') FROM onceward_outbox"))
        .hasSize(7);
  }

  @Test
  void aConnectionInAutocommitIsRefused() throws SQLException {
    try (Connection connection = DATABASE.dataSource().getConnection()) {
      assertThatThrownBy(() -> outbox.append(connection, TOPIC, event("a", "1")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("autocommit")
          .hasMessageContaining("setAutoCommit(false)");
    }
    assertThat(ids()).isEmpty();
  }

  @Test
  void whatPoliciesRefuseIsRefusedAndTheTransactionIsAsItWas() throws SQLException {
    Event large =
        event("a", "large").toBuilder().data(new byte[2_000], "application/octet-stream").build();
    Outbox strict =
        Outbox.builder()
            .typeNaming(TypeNaming.of(PolicyAction.REFUSE))
            .sizePolicy(SizePolicy.of(1_000, PolicyAction.REFUSE))
            .build();
    Outbox small = Outbox.builder().maxRecordBytes(1_500).build();
    try (Connection tx = DATABASE.transaction()) {
      assertThatThrownBy(() -> strict.append(tx, TOPIC, large))
          .isInstanceOf(OutboxRefusedException.class)
          .hasMessageContaining("over the limit of 1000");
      assertThatThrownBy(
              () -> strict.append(tx, TOPIC, event("a", "x").toBuilder().type("Placed").build()))
          .hasMessageContaining("name it like");
      assertThatThrownBy(() -> small.append(tx, TOPIC, large))
          .isInstanceOfSatisfying(
              OutboxRefusedException.class,
              refused -> {
                assertThat(refused.eventId()).isEqualTo("large");
                assertThat(refused.topic()).isEqualTo(TOPIC);
              })
          .hasMessageContaining("over the limit of 1500")
          .hasMessageContaining("max.request.size");
      assertThatThrownBy(() -> outbox.append(tx, "no topic", event("a", "x")))
          .hasMessageContaining("topic name is not legal");
      assertThatThrownBy(() -> small.appendAll(tx, TOPIC, List.of(event("a", "ok"), large)))
          .hasMessageContaining("large");
      outbox.append(tx, TOPIC, event("a", "1"));
      tx.commit();
    }
    assertThat(ids()).containsExactly("1");
  }

  @Test
  void serializedAppendsOfAKeyWaitForEachOtherAndThoseOfOtherKeysDoNot() throws Exception {
    try (Connection first = DATABASE.transaction();
        Connection second = DATABASE.transaction();
        Connection other = DATABASE.transaction()) {
      outbox.appendSerialized(first, TOPIC, event("a", "1"));
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(
              () -> {
                try {
                  outbox.appendSerialized(second, TOPIC, event("a", "2"));
                  second.commit();
                } catch (SQLException e) {
                  throw new AssertionError(e);
                }
              });
      outbox.appendSerialized(other, TOPIC, event("b", "3"));
      other.commit();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  !DATABASE
                      .texts("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                      .isEmpty());
      assertThat(waiting).isNotDone();
      first.commit();
      waiting.join();
    }
    assertThat(DATABASE.texts("SELECT id FROM onceward_outbox WHERE id <> '3' ORDER BY seq"))
        .containsExactly("1", "2");
  }

  @Test
  void forChangeDataCaptureRowsAreGoneAgainAlsoInASavepoint() throws SQLException {
    Outbox capture = Outbox.builder().changeDataCapture().build();
    try (Connection tx = DATABASE.transaction()) {
      tx.setSavepoint();
      capture.append(tx, TOPIC, event("a", "1"));
      capture.appendAll(tx, TOPIC, List.of(event("a", "2"), event("b", "3")));
      tx.commit();
    }
    assertThat(ids()).isEmpty();
  }

  private static List<String> ids() throws SQLException {
    return DATABASE.texts("SELECT id FROM onceward_outbox ORDER BY seq");
  }

  static Event event(String key, String id) {
    return Event.builder()
        .id(id)
        .source("/test")
        .type("com.acme.orders.placed.v1")
        .subject(key)
        .data("{}".getBytes(UTF_8), "application/json")
        .build();
  }
}
