package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static dev.onceward.dedupe.InboxOutcome.WINDOW_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Forgetting, on every database; the clock is the database's. */
abstract class MaintainContract {
  private final SqlDatabase database;
  private final JdbcInbox inbox;

  MaintainContract(SqlDatabase database) {
    this.database = database;
    this.inbox = JdbcInbox.on(database.plain());
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
  }

  @Test
  void whatIsBeyondTheWindowIsNotedFirstAndForgottenByALaterCall() throws Exception {
    JdbcInbox week = week().build();
    inbox.maintain();
    inbox.process(dated("old", 20), tx -> {});
    inbox.process(dated("young", 2), tx -> {});

    week.maintain();
    assertThat(count("onceward_processed_event")).as("noted, not forgotten").isEqualTo(2);
    week.maintain();
    assertThat(count("onceward_processed_event")).as("noted just now").isEqualTo(2);
    database.letTheNoteAge();
    week.maintain();

    assertThat(count("onceward_processed_event")).isOne();
    assertThat(week.process(dated("young", 2), tx -> {})).isEqualTo(DUPLICATE);
    assertThat(week.process(dated("old", 20), tx -> {})).isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox.process(dated("old", 20), tx -> {}))
        .as("an inbox with a longer window learns what is gone")
        .isEqualTo(WINDOW_EXCEEDED);
  }

  @Test
  void whatIsForgottenStaysForgottenWhenAWindowIsMadeLonger() throws Exception {
    week().build().maintain();
    database.letTheNoteAge();
    inbox.maintain();

    assertThat(inbox.process(dated("old", 20), tx -> {})).isEqualTo(WINDOW_EXCEEDED);
    assertThat(
            JdbcInbox.builder(database.plain())
                .keepForever()
                .build()
                .process(dated("old", 20), tx -> {}))
        .isEqualTo(WINDOW_EXCEEDED);
  }

  @Test
  void theVersionGuardAndUndatedEventsOutliveTheWindow() throws Exception {
    inbox.process(event("undated"), tx -> {});
    InboxEntry guarded = event("e1", "k", 1).withEventTime(ago(20));
    assertThat(inbox.process(guarded, tx -> {})).isEqualTo(APPLIED);
    JdbcInbox week = week().beyondWindow(BeyondWindow.VERSION_GUARD).build();
    week.maintain();
    database.letTheNoteAge();
    week.maintain();

    assertThat(week.process(event("undated"), tx -> {})).isEqualTo(DUPLICATE);
    assertThat(week.process(guarded, tx -> {})).isEqualTo(STALE);
  }

  @Test
  void oldRowsAreDeletedInBatches() throws Exception {
    insert(12_345, ago(40));
    insert(3, ago(41));
    insert(2, ago(1));
    inbox.maintain();
    database.letTheNoteAge();
    inbox.maintain();

    assertThat(count("onceward_processed_event")).isEqualTo(2);
  }

  @Test
  void bucketsOfOtherWidthsWorkAndDoNotMix() throws Exception {
    String schema = database.name() + "_hourly"; // a server may have one for all databases
    JdbcInbox.Builder hourly =
        JdbcInbox.builder(database.plain())
            .schema(schema)
            .bucketWidth(Duration.ofHours(1))
            .window(Duration.ofDays(2));
    hourly.build().createSchema();
    hourly.build().verify(Duration.ofSeconds(30));
    hourly.build().maintain();

    InboxEntry once = dated("e1", 1);
    assertThat(hourly.build().process(once, tx -> {})).isEqualTo(APPLIED);
    assertThat(hourly.build().process(once, tx -> {})).isEqualTo(DUPLICATE);
    assertThat(hourly.build().process(dated("e2", 3), tx -> {})).isEqualTo(WINDOW_EXCEEDED);
    JdbcInbox daily = JdbcInbox.builder(database.plain()).schema(schema).build();
    for (Runnable use :
        List.<Runnable>of(() -> daily.verify(Duration.ofSeconds(30)), daily::maintain)) {
      assertThatThrownBy(use::run)
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining("bucketWidth");
    }
    assertThatThrownBy(() -> daily.process(dated("e3", 1), tx -> {}))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("bucketWidth of PT1H");
  }

  @Test
  void aWindowOutOfRangeIsRefused() {
    for (Duration window : List.of(Duration.ofHours(23), Duration.ofDays(401))) {
      assertThatThrownBy(() -> JdbcInbox.builder(database.plain()).window(window).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("window");
    }
    assertThatThrownBy(
            () -> JdbcInbox.builder(database.plain()).bucketWidth(Duration.ofMinutes(1)).build())
        .hasMessageContaining("bucketWidth");
    assertThat(inbox.window()).contains(Duration.ofDays(30));
    assertThat(JdbcInbox.builder(database.plain()).keepForever().build().window()).isEmpty();
  }

  private JdbcInbox.Builder week() {
    return JdbcInbox.builder(database.plain()).window(Duration.ofDays(7));
  }

  private static InboxEntry dated(String id, int daysAgo) {
    return event(id).withEventTime(ago(daysAgo));
  }

  private static Instant ago(int days) {
    return Instant.now().minus(days, ChronoUnit.DAYS);
  }

  private void insert(int rows, Instant time) throws SQLException {
    database.fill(
        "onceward_processed_event", rows, (int) Math.floorDiv(time.getEpochSecond(), 86_400L));
  }

  private long count(String table) throws SQLException {
    return database.number("SELECT count(*) FROM " + table);
  }
}
