package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.put;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.Inbox.Effect;
import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.net.URI;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every database does with one event at a time. */
abstract class InboxContract {
  private final SqlDatabase database;
  private final JdbcInbox inbox;

  InboxContract(SqlDatabase database) {
    this.database = database;
    this.inbox = JdbcInbox.on(database.plain());
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
  }

  @Test
  void theSameEventDeliveredThreeTimesChargesOnce() throws Exception {
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(APPLIED);
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(DUPLICATE);
    assertThat(inbox.process(event("e1"), charge("alice", 10))).isEqualTo(DUPLICATE);

    assertThat(database.number("SELECT sum(amount) FROM ledger")).isEqualTo(10);
    assertThat(processedEvents()).isOne();
  }

  @Test
  void twoHandlersEachProcessTheSameEventOnce() throws Exception {
    for (int delivery = 0; delivery < 2; delivery++) {
      inbox.process(event("billing", "e1"), charge("billing", 10));
      inbox.process(event("shipping", "e1"), charge("shipping", 10));
    }

    assertThat(database.texts("SELECT account FROM ledger ORDER BY id"))
        .containsExactly("billing", "shipping");
  }

  @Test
  void version3ThenVersion2LeavesVersion3() throws Exception {
    assertThat(inbox.process(event("e3", "order-1", 3), put(database, "order-1", 3)))
        .isEqualTo(APPLIED);
    assertThat(inbox.process(event("e2", "order-1", 2), put(database, "order-1", 2)))
        .isEqualTo(STALE);

    assertThat(database.number("SELECT amount FROM state")).isEqualTo(3);
  }

  @Test
  void anEqualVersionOfAnotherEventIsStale() throws Exception {
    inbox.process(event("e1", "order-1", 3), put(database, "order-1", 3));

    assertThat(inbox.process(event("e2", "order-1", 3), put(database, "order-1", 99)))
        .isEqualTo(STALE);
    assertThat(database.number("SELECT amount FROM state")).isEqualTo(3);
  }

  @Test
  void aDuplicateThatIsAlsoStaleIsADuplicate() throws Exception {
    inbox.process(event("e2", "order-1", 2), put(database, "order-1", 2));
    inbox.process(event("e3", "order-1", 3), put(database, "order-1", 3));

    assertThat(inbox.process(event("e2", "order-1", 2), put(database, "order-1", 2)))
        .isEqualTo(DUPLICATE);
  }

  @Test
  void aStaleEventIsStaleEachTimeAndLeavesNoDedupeRow() throws Exception {
    inbox.process(event("e3", "order-1", 3), put(database, "order-1", 3));

    assertThat(inbox.process(event("e2", "order-1", 2), put(database, "order-1", 2)))
        .isEqualTo(STALE);
    assertThat(inbox.process(event("e2", "order-1", 2), put(database, "order-1", 2)))
        .isEqualTo(STALE);
    assertThat(processedEvents()).isOne();
  }

  @Test
  void versionsOfOtherKeysScopesAndHandlersDoNotMatter() throws Exception {
    EntityVersion high = new EntityVersion("orders", "1", 9);
    inbox.process(event("e1").withVersion(high), put(database, "a", 1));

    assertThat(inbox.process(event("e2", "2", 1), put(database, "b", 1))).isEqualTo(APPLIED);
    assertThat(
            inbox.process(
                event("e3").withVersion(new EntityVersion("payments", "1", 1)),
                put(database, "c", 1)))
        .isEqualTo(APPLIED);
    assertThat(
            inbox.process(
                event("shipping", "e4").withVersion(new EntityVersion("orders", "1", 1)),
                put(database, "d", 1)))
        .isEqualTo(APPLIED);
  }

  @Test
  void guardedWithoutIdempotencyWritesNoDedupeRowAndSkipsTheRedelivery() throws Exception {
    InboxEntry entry = event("e1", "order-1", 1).withIdempotency(InboxEntry.Idempotency.NONE);

    assertThat(inbox.process(entry, charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(entry, charge("alice", 1))).isEqualTo(STALE);
    assertThat(processedEvents()).isZero();
    assertThat(database.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void withNeitherIdempotencyNorVersionItIsAPlainTransaction() throws Exception {
    InboxEntry entry = event("e1").withIdempotency(InboxEntry.Idempotency.NONE);

    assertThat(inbox.process(entry, charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(entry, charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(entry, tx -> {})).isEqualTo(APPLIED);
    assertThatThrownBy(
            () ->
                inbox.process(
                    entry,
                    tx -> {
                      Events.insert(tx, "alice", 1);
                      throw new IllegalStateException("no");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(database.number("SELECT count(*) FROM ledger")).isEqualTo(2);
  }

  @Test
  void anEffectThatThrowsAfterWritingLeavesNoWriteAndNoDedupeRow() throws Exception {
    InboxEntry entry = event("e1", "order-1", 1);

    assertThatThrownBy(
            () ->
                inbox.process(
                    entry,
                    tx -> {
                      Events.insert(tx, "alice", 10);
                      throw new IllegalStateException("card declined");
                    }))
        .hasMessage("card declined");

    assertThat(database.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(processedEvents()).isZero();
    assertThat(database.number("SELECT count(*) FROM onceward_entity_version")).isZero();
    assertThat(inbox.process(entry, charge("alice", 10))).isEqualTo(APPLIED);
  }

  static Stream<Throwable> failures() {
    return Stream.of(
        new Exception("checked"),
        new RuntimeException("unchecked"),
        new AssertionError("error"),
        new InterruptedException("interrupted inside"),
        new SQLException("lost inside the effect", "08006"),
        new SQLException("shut down inside the effect", "57P01"),
        new InboxUnavailableException("of another inbox", null));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void whatTheEffectThrowsComesOutUnchanged(Throwable failure) throws Exception {
    Effect effect =
        tx -> {
          Events.insert(tx, "alice", 10);
          if (failure instanceof Error error) {
            throw error;
          }
          throw (Exception) failure;
        };

    assertThatThrownBy(() -> inbox.process(event("e1"), effect))
        .isSameAs(failure)
        .hasNoSuppressedExceptions();
    assertThat(database.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(processedEvents()).isZero();
  }

  @Test
  void anInterruptDuringTheEffectRollsBack() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      Events.insert(tx, "alice", 10);
                      Thread.currentThread().interrupt();
                    }))
        .isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).as("the exception stands for the flag").isFalse();
    assertThat(database.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(processedEvents()).isZero();
  }

  @Test
  void aThreadInterruptedBeforehandStartsNothing() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> inbox.process(event("e1"), charge("alice", 10)))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void theIdentityOfAnEventIsItsSourceAndId() throws Exception {
    assertThat(process("//a", "bc")).isEqualTo(APPLIED);
    assertThat(process("//ab", "c")).isEqualTo(APPLIED);
    assertThat(process("//a", "bc")).isEqualTo(DUPLICATE);
    assertThat(process("//b", "bc")).isEqualTo(APPLIED);
  }

  @Test
  void aHandlerIdKeepsItsNumberAcrossInboxes() throws Exception {
    inbox.process(event("kept", "e1"), charge("alice", 1));

    assertThat(JdbcInbox.on(database.plain()).process(event("kept", "e1"), charge("alice", 1)))
        .isEqualTo(DUPLICATE);
    assertThat(database.number("SELECT count(*) FROM onceward_handler WHERE name = 'kept'"))
        .isOne();
  }

  @Test
  void aHandlerWhoseRegistrationWasLostIsRegisteredAgainUnderAnotherNumber() throws Exception {
    inbox.process(event("lost", "e1"), charge("alice", 1));
    database.execute("DELETE FROM onceward_handler WHERE name = 'lost'");

    inbox.process(event("other", "e1"), charge("alice", 1));
    inbox.process(event("lost", "e2"), charge("alice", 1));

    assertThat(database.number("SELECT count(DISTINCT id) FROM onceward_handler"))
        .isEqualTo(database.number("SELECT count(*) FROM onceward_handler"));
    assertThat(database.number("SELECT count(DISTINCT handler) FROM onceward_processed_event"))
        .isEqualTo(3);
  }

  @Test
  void anyTextIsTakenAsAnIdAndKey() throws Exception {
    String odd = "' OR 1=1; -- \u0000 \ud83d\ude00 " + "x".repeat(10_000);

    assertThat(inbox.process(event(odd, odd, 1), charge("alice", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(event(odd, odd, 1), charge("alice", 1))).isEqualTo(DUPLICATE);
  }

  private InboxOutcome process(String source, String id) throws Exception {
    return inbox.process(InboxEntry.of("billing", URI.create(source), id), charge("alice", 1));
  }

  private long processedEvents() throws SQLException {
    return database.number("SELECT count(*) FROM onceward_processed_event");
  }
}
