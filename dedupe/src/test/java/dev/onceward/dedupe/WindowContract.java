package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static dev.onceward.dedupe.InboxOutcome.WINDOW_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events beyond the window; the database's clock decides. */
abstract class WindowContract {
  private final SqlDatabase database;

  WindowContract(SqlDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
  }

  @Test
  void anEventOlderThanTheWindowIsNotApplied() throws Exception {
    JdbcInbox inbox = inbox(BeyondWindow.DEAD_LETTER);

    assertThat(inbox.process(aged("e1", 32), charge("a", 1))).isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox.process(aged("e2", 32, 1), charge("a", 1))).isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox.process(aged("e3", 30), charge("a", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(aged("e3", 30), charge("a", 1))).isEqualTo(DUPLICATE);
    assertThat(database.number("SELECT count(*) FROM ledger")).isOne();
    assertThat(rows()).isOne();
    assertThat(versions()).isZero();
  }

  @Test
  void theVersionGuardAloneDecidesWhereThatIsThePolicy() throws Exception {
    JdbcInbox inbox = inbox(BeyondWindow.VERSION_GUARD);

    assertThat(inbox.process(aged("e1", 32), charge("a", 1))).isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox.process(aged("e2", 32, 2), charge("a", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(aged("e2", 32, 2), charge("a", 1))).isEqualTo(STALE);
    assertThat(inbox.process(aged("e3", 32, 1), charge("a", 1))).isEqualTo(STALE);
    assertThat(rows()).isZero();
    assertThat(versions()).isOne();
  }

  @Test
  void theEventIsProcessedEachTimeWhereThatIsThePolicy() throws Exception {
    JdbcInbox inbox = inbox(BeyondWindow.PROCESS);

    assertThat(inbox.process(aged("e1", 32), charge("a", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(aged("e1", 32), charge("a", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(aged("e2", 32, 2), charge("a", 1))).isEqualTo(APPLIED);
    assertThat(inbox.process(aged("e2", 32, 2), charge("a", 1))).isEqualTo(STALE);
    assertThat(rows()).isZero();
  }

  @Test
  void aNextVersionIsJudgedBeyondTheWindowToo() throws Exception {
    InboxEntry second = aged("e2", 32).withVersion(InboxEntry.EntityVersion.next("orders", "k", 2));

    assertThat(inbox(BeyondWindow.DEAD_LETTER).process(second, tx -> {}))
        .isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox(BeyondWindow.VERSION_GUARD).process(second, tx -> {}))
        .isEqualTo(InboxOutcome.GAP);
    assertThat(versions()).isZero();
  }

  @Test
  void oneBatchMixesEventsWithinAndBeyondTheWindow() throws Exception {
    List<InboxEntry> entries =
        List.of(aged("e1", 32), aged("e2", 1), aged("e3", 32, 1), event("undated"));

    assertThat(
            inbox(BeyondWindow.DEAD_LETTER)
                .processAll(entries, (tx, fresh) -> assertThat(fresh).containsExactly(1, 3)))
        .containsExactly(WINDOW_EXCEEDED, APPLIED, WINDOW_EXCEEDED, APPLIED);
    assertThat(
            inbox(BeyondWindow.VERSION_GUARD)
                .processAll(entries, (tx, fresh) -> assertThat(fresh).containsExactly(2)))
        .containsExactly(WINDOW_EXCEEDED, DUPLICATE, APPLIED, DUPLICATE);
    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void eventsFromTheFutureAndWithoutATimeAreNeverTooOld() throws Exception {
    JdbcInbox inbox = inbox(BeyondWindow.DEAD_LETTER);
    for (InboxEntry entry :
        List.of(
            event("undated"), aged("future", -5_000), event("end").withEventTime(Instant.MAX))) {
      assertThat(inbox.process(entry, tx -> {})).isEqualTo(APPLIED);
      assertThat(inbox.process(entry, tx -> {})).isEqualTo(DUPLICATE);
    }
  }

  @Test
  void anInboxThatKeepsForEverTakesEventsOfAnyAge() throws Exception {
    JdbcInbox inbox = JdbcInbox.builder(database.plain()).keepForever().build();

    assertThat(inbox.process(aged("e1", 9_000), tx -> {})).isEqualTo(APPLIED);
    assertThat(inbox.process(aged("e1", 9_000), tx -> {})).isEqualTo(DUPLICATE);
    inbox.maintain();
    assertThat(database.number("SELECT kept_from FROM onceward_window")).isEqualTo(-2147483647);
  }

  @Test
  void onlyIdempotentEventsGrowTooOld() throws Exception {
    JdbcInbox inbox = inbox(BeyondWindow.DEAD_LETTER);

    assertThat(
            inbox.process(aged("e1", 32, 1).withIdempotency(InboxEntry.Idempotency.NONE), tx -> {}))
        .isEqualTo(APPLIED);
  }

  @ParameterizedTest
  @ValueSource(ints = {12, -12}) // of which one is always another day
  void theTimeZoneOfTheSessionDoesNotMatter(int ahead) throws Exception {
    JdbcInbox inbox =
        JdbcInbox.builder(database.withSessionsAhead(ahead)).window(Duration.ofDays(1)).build();
    Instant yesterday = Instant.now().truncatedTo(ChronoUnit.DAYS).minus(1, ChronoUnit.DAYS);
    inbox.maintain();

    assertThat(inbox.process(event("e1").withEventTime(yesterday.minusSeconds(1)), tx -> {}))
        .isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox.process(event("e2").withEventTime(yesterday), tx -> {})).isEqualTo(APPLIED);
    assertThat(database.number("SELECT kept_from FROM onceward_window"))
        .isEqualTo(yesterday.getEpochSecond() / 86_400);
  }

  private JdbcInbox inbox(BeyondWindow policy) {
    return JdbcInbox.builder(database.plain())
        .window(Duration.ofDays(30))
        .beyondWindow(policy)
        .build();
  }

  private static InboxEntry aged(String id, int days) {
    return event(id).withEventTime(Instant.now().minus(days, ChronoUnit.DAYS));
  }

  private static InboxEntry aged(String id, int days, long version) {
    return event(id, "k", version).withEventTime(Instant.now().minus(days, ChronoUnit.DAYS));
  }

  private long rows() throws SQLException {
    return database.number("SELECT count(*) FROM onceward_processed_event");
  }

  private long versions() throws SQLException {
    return database.number("SELECT count(*) FROM onceward_entity_version");
  }
}
