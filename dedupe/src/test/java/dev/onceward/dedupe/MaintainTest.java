package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.WINDOW_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** Partitions and forgetting; the clock is the database's. */
class MaintainTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int DAY = 86_400;

  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  @BeforeEach
  void createTables() throws SQLException {
    DATABASE.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    inbox.createSchema();
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void theWindowAndAWeekAheadGetPartitionsOfTheirOwn() throws Exception {
    inbox.maintain();

    List<String> partitions = partitions();
    assertThat(partitions).hasSize(31 + 7 + 2);
    String today = DATABASE.text("SELECT to_char(now() AT TIME ZONE 'utc', 'YYYYMMDD')");
    assertThat(partitions).contains("onceward_processed_event_" + today);

    inbox.process(dated("today", 0), tx -> {});
    inbox.process(dated("old", 29), tx -> {});
    inbox.process(dated("soon", -6), tx -> {});
    assertThat(count("onceward_processed_event_default")).isZero();
    inbox.process(dated("far", -600), tx -> {});
    assertThat(count("onceward_processed_event_default")).isOne();
    inbox.process(event("undated"), tx -> {});
    assertThat(count("onceward_processed_event_undated")).isOne();

    inbox.maintain();
    assertThat(partitions()).isEqualTo(partitions);
  }

  @Test
  void rowsOfTheDefaultPartitionMoveIntoTheirOwnAndStayKnown() throws Exception {
    for (int age = -3; age < 5; age++) {
      inbox.process(dated("e" + age, age), tx -> {});
    }
    assertThat(count("onceward_processed_event_default")).isEqualTo(8);

    inbox.maintain();

    assertThat(count("onceward_processed_event_default")).isZero();
    assertThat(count("onceward_processed_event")).isEqualTo(8);
    for (int age = -3; age < 5; age++) {
      assertThat(inbox.process(dated("e" + age, age), tx -> {})).isEqualTo(DUPLICATE);
    }
  }

  @Test
  void partitionsBeyondTheWindowAreDroppedByALaterCall() throws Exception {
    JdbcInbox week = week().build();
    inbox.maintain();
    inbox.process(dated("old", 20), tx -> {});
    inbox.process(dated("young", 2), tx -> {});

    week.maintain();
    assertThat(count("onceward_processed_event")).as("noted, not forgotten").isEqualTo(2);
    week.maintain();
    assertThat(count("onceward_processed_event")).as("noted just now").isEqualTo(2);
    letTheNoteAge();
    week.maintain();

    assertThat(count("onceward_processed_event")).isOne();
    assertThat(partitions()).hasSize(8 + 7 + 2);
    assertThat(week.process(dated("young", 2), tx -> {})).isEqualTo(DUPLICATE);
    assertThat(week.process(dated("old", 20), tx -> {})).isEqualTo(WINDOW_EXCEEDED);
    assertThat(inbox.process(dated("old", 20), tx -> {}))
        .as("an inbox with a longer window learns what is gone")
        .isEqualTo(WINDOW_EXCEEDED);
  }

  @Test
  void noPartitionIsMadeForWhatIsForgotten() throws Exception {
    week().build().maintain();
    letTheNoteAge();
    inbox.maintain();

    assertThat(partitions()).as("none is made for what is refused").hasSize(8 + 7 + 2);
    assertThat(inbox.process(dated("old", 20), tx -> {})).isEqualTo(WINDOW_EXCEEDED);
    assertThat(
            JdbcInbox.builder(DATABASE.plain())
                .keepForever()
                .build()
                .process(dated("old", 20), tx -> {}))
        .isEqualTo(WINDOW_EXCEEDED);
  }

  @Test
  void aRoleThatDoesNotOwnTheTablesDeletesRows() throws Exception {
    inbox.maintain();
    insert(12_345, ago(20));
    insert(3, ago(1));
    DATABASE.execute(
        "DROP ROLE IF EXISTS pruner; CREATE ROLE pruner LOGIN;"
            + "GRANT USAGE ON SCHEMA public TO pruner;"
            + "GRANT SELECT, DELETE ON onceward_processed_event TO pruner;"
            + "GRANT SELECT, UPDATE ON onceward_window TO pruner");
    PGSimpleDataSource pruner = DATABASE.plain();
    pruner.setUser("pruner");
    JdbcInbox guest = JdbcInbox.builder(pruner).window(Duration.ofDays(7)).build();
    List<String> partitions = partitions();

    guest.maintain();
    letTheNoteAge();
    guest.maintain();

    assertThat(partitions()).isEqualTo(partitions);
    assertThat(count("onceward_processed_event")).isEqualTo(3);
  }

  @Test
  void effectsGoOnWhileAPartitionIsMadeAndTheOneOnItsWayToItIsRepeated() throws Exception {
    inbox.process(event("registered"), tx -> {});
    CountDownLatch moved = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<?> maintenance = threads.submit(() -> attachByHand(moved, finish));
    moved.await();

    // the default partition is locked; this one is on its way to it
    Future<InboxOutcome> late = threads.submit(() -> inbox.process(dated("e1", 0), tx -> {}));
    await()
        .until(
            () ->
                DATABASE.number(
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                            + " AND datname = current_database()")
                    == 1);
    assertThat(inbox.process(event("elsewhere"), tx -> {})).isEqualTo(APPLIED);
    finish.countDown();

    maintenance.get();
    assertThat(late.get()).isEqualTo(APPLIED);
    assertThat(count("by_hand")).isOne();
    assertThat(inbox.process(dated("e1", 0), tx -> {})).isEqualTo(DUPLICATE);
  }

  /** As the inbox does it, but held up in the middle. */
  private static @org.jspecify.annotations.Nullable Void attachByHand(
      CountDownLatch moved, CountDownLatch finish) throws Exception {
    long today = Instant.now().getEpochSecond() / DAY;
    try (Connection connection = DATABASE.plain().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE TABLE by_hand (LIKE onceward_processed_event INCLUDING ALL)");
      statement.execute("LOCK TABLE onceward_processed_event_default IN ACCESS EXCLUSIVE MODE");
      statement.execute(
          "ALTER TABLE onceward_processed_event ATTACH PARTITION by_hand FOR VALUES FROM ("
              + (today - 1)
              + ") TO ("
              + (today + 2)
              + ")");
      moved.countDown();
      finish.await();
      connection.commit();
    }
    return null;
  }

  @Test
  void aSlowHandlerHoldsUpNeitherMaintenanceNorOthersForLong() throws Exception {
    inbox.maintain();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxOutcome> slow =
        threads.submit(
            () ->
                inbox.process(
                    dated("slow", 0),
                    tx -> {
                      started.countDown();
                      finish.await();
                    }));
    started.await();
    insert(10, ago(20));
    week().build().maintain();
    letTheNoteAge();

    week().build().maintain();

    assertThat(count("onceward_processed_event")).as("emptied, if not dropped").isZero();
    assertThat(partitions()).hasSize(31 + 7 + 2);
    finish.countDown();
    assertThat(slow.get()).isEqualTo(APPLIED);
    week().build().maintain();
    assertThat(partitions()).hasSize(8 + 7 + 2);
  }

  @Test
  void manyInstancesCanMaintainAtOnceBesideEffects() throws Exception {
    List<Future<?>> work = new ArrayList<>();
    AtomicInteger applied = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      work.add(threads.submit(() -> JdbcInbox.on(DATABASE.plain()).maintain()));
    }
    work.add(
        threads.submit(
            () -> {
              for (int e = 0; e < 100; e++) {
                InboxEntry entry = dated("e" + e, e % 30 - 5);
                assertThat(inbox.process(entry, tx -> applied.incrementAndGet()))
                    .isEqualTo(APPLIED);
                assertThat(inbox.process(entry, tx -> {})).isEqualTo(DUPLICATE);
              }
              return null;
            }));
    for (Future<?> future : work) {
      future.get();
    }

    inbox.maintain();
    assertThat(applied).hasValueGreaterThanOrEqualTo(100);
    assertThat(count("onceward_processed_event")).isEqualTo(100);
    assertThat(count("onceward_processed_event_default")).isZero();
  }

  @Test
  void anInterruptStopsEarlyAndKeepsTheFlag() throws Exception {
    try (Connection raw = DATABASE.plain().getConnection()) {
      AtomicInteger commits = new AtomicInteger();
      JdbcInbox interrupted =
          JdbcInbox.on(
              new WatchedDataSource(
                  () ->
                      Connections.afterCommit(
                          raw,
                          () -> {
                            if (commits.incrementAndGet() == 3) {
                              Thread.currentThread().interrupt();
                            }
                          })));

      interrupted.maintain();
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(partitions()).hasSize(2 + 2);
  }

  private static JdbcInbox.Builder week() {
    return JdbcInbox.builder(DATABASE.plain()).window(Duration.ofDays(7));
  }

  private static InboxEntry dated(String id, int daysAgo) {
    return event(id).withEventTime(ago(daysAgo));
  }

  private static Instant ago(int days) {
    return Instant.now().minus(days, ChronoUnit.DAYS);
  }

  private static void letTheNoteAge() throws SQLException {
    DATABASE.execute("UPDATE onceward_window SET raised_at = raised_at - interval '1 hour'");
  }

  private static void insert(int rows, Instant time) throws SQLException {
    DATABASE.execute(
        "INSERT INTO onceward_processed_event (handler, event_key, bucket)"
            + " SELECT 1, gen_random_uuid(), "
            + Math.floorDiv(time.getEpochSecond(), DAY)
            + " FROM generate_series(1, "
            + rows
            + ") i");
  }

  private static long count(String table) throws SQLException {
    return DATABASE.number("SELECT count(*) FROM " + table);
  }

  private static List<String> partitions() throws SQLException {
    return DATABASE.texts(
        "SELECT inhrelid::regclass::text FROM pg_inherits"
            + " WHERE inhparent = 'onceward_processed_event'::regclass ORDER BY 1");
  }
}
