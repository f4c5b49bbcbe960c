package dev.onceward.examples.samples;

import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.GAP;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.dedupe.InboxEntry;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import dev.onceward.testkit.OncewardTest;
import dev.onceward.testkit.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OncewardTest
class InboxSamplesTest {

  private static final OrderPlaced ORDER = new OrderPlaced("order-1", 990);

  @BeforeEach
  void createTables(TestDatabase database) throws SQLException {
    JdbcInbox.on(database.dataSource()).createSchema();
    execute(
        database,
        "CREATE TABLE IF NOT EXISTS charge (order_id text, cents bigint);"
            + "CREATE TABLE IF NOT EXISTS order_state (order_id text PRIMARY KEY, version bigint);"
            + "TRUNCATE charge, order_state");
  }

  @Test
  void anEventTakesEffectOnceAloneAndInABatch(TestDatabase database) throws Exception {
    JdbcInbox inbox = InboxSamples.window(database.dataSource());
    Event first = event("once-1");

    assertThat(InboxSamples.once(inbox, first, ORDER)).isEqualTo(APPLIED);
    assertThat(InboxSamples.once(inbox, first, ORDER)).isEqualTo(DUPLICATE);
    assertThat(
            InboxSamples.batch(
                inbox,
                List.of(first, event("once-2"), event("once-2")),
                List.of(ORDER, ORDER, ORDER)))
        .containsExactly(DUPLICATE, APPLIED, DUPLICATE);
    assertThat(count(database, "charge")).isEqualTo(2);
  }

  @Test
  void versionsAreGuarded(TestDatabase database) throws Exception {
    JdbcInbox inbox = JdbcInbox.on(database.dataSource());

    assertThat(inbox.process(InboxSamples.versions(entry("v1"), "a", 5), tx -> {})).isEqualTo(GAP);
    assertThat(inbox.process(InboxSamples.versions(entry("v2"), "b", 4), tx -> {}))
        .isEqualTo(APPLIED);
    assertThat(InboxSamples.onOwnRow(inbox, entry("v3"), "order-1", 7)).isEqualTo(APPLIED);
    assertThat(InboxSamples.onOwnRow(inbox, entry("v4"), "order-1", 6)).isEqualTo(STALE);
    assertThat(count(database, "order_state WHERE version = 7")).isOne();
  }

  @Test
  void fencesAndOffsetsHold(TestDatabase database) throws Exception {
    JdbcInbox inbox = JdbcInbox.on(database.dataSource());

    assertThat(InboxSamples.fenced(inbox, entry("f1"), ORDER)).isTrue();
    assertThat(InboxSamples.byOffset(inbox, entry("f2"), ORDER, 41)).isEmpty();
    assertThat(InboxSamples.byOffset(inbox, entry("f3"), ORDER, 42)).hasValue(42);
    assertThat(count(database, "charge")).isEqualTo(3);
  }

  @Test
  void aTenantIsBoundForTheTransaction(TestDatabase database) throws Exception {
    JdbcInbox inbox = InboxSamples.tenants(database.dataSource());
    execute(
        database,
        "ALTER TABLE charge ALTER order_id SET DEFAULT 'none';"
            + "CREATE OR REPLACE FUNCTION tenant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " NEW.order_id := current_setting('app.tenant_id'); RETURN NEW; END $$;"
            + "CREATE TRIGGER tenant BEFORE INSERT ON charge FOR EACH ROW EXECUTE FUNCTION tenant()");

    assertThat(InboxSamples.forTenant(inbox, entry("t1"), "acme", ORDER)).isEqualTo(APPLIED);

    assertThat(count(database, "charge WHERE order_id = 'acme'")).isOne();
    execute(database, "DROP TRIGGER tenant ON charge");
  }

  @Test
  void maintenanceMakesPartitions(TestDatabase database) throws Exception {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      ScheduledFuture<?> task =
          InboxSamples.maintainHourly(JdbcInbox.on(database.dataSource()), timer);
      assertThat(task.isCancelled()).isFalse();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  count(
                          database,
                          "pg_inherits WHERE inhparent = 'onceward_processed_event'::regclass")
                      >= 40);
    } finally {
      timer.shutdownNow();
    }
  }

  private static InboxEntry entry(String id) {
    return InboxEntry.of("billing", URI.create("/acme/orders"), id);
  }

  private static Event event(String id) {
    return Event.builder()
        .id(id)
        .source("/acme/orders")
        .type("com.acme.orders.placed.v1")
        .subject("order-1")
        .time(OffsetDateTime.now(java.time.ZoneOffset.UTC))
        .build();
  }

  private static void execute(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long count(TestDatabase database, String from) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + from)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
