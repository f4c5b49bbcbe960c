package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

class PruneTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  @BeforeAll
  static void createTables() {
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute("TRUNCATE onceward_processed_event, onceward_entity_version");
  }

  @Test
  void eventsOlderThanTheWindowAreForgottenAndYoungerOnesKept() throws Exception {
    inbox.process(event("old"), tx -> {});
    DATABASE.execute(
        "UPDATE onceward_processed_event SET processed_at = processed_at - interval '8 days'");
    inbox.process(event("young"), tx -> {});

    assertThat(inbox.prune(Duration.ofDays(7))).isOne();
    assertThat(inbox.prune(Duration.ofDays(7))).isZero();

    assertThat(inbox.process(event("young"), tx -> {})).isEqualTo(DUPLICATE);
    assertThat(inbox.process(event("old"), tx -> {})).isEqualTo(APPLIED);
  }

  @Test
  void theVersionGuardOutlivesTheWindow() throws Exception {
    inbox.process(event("e1", "k", 1), tx -> {});
    DATABASE.execute("UPDATE onceward_processed_event SET processed_at = '2020-01-01'");

    assertThat(inbox.prune(Duration.ofDays(7))).isOne();
    assertThat(inbox.process(event("e1", "k", 1), tx -> {})).isEqualTo(STALE);
  }

  @Test
  void manyBatchesForgetExactlyTheOldWhereverTheyLie() throws Exception {
    insert(23_456, "CASE WHEN i % 3 = 0 THEN now() ELSE now() - interval '30 days' END");
    long old = DATABASE.number(oldRows());
    assertThat(old).isGreaterThan(15_000);

    assertThat(inbox.prune(Duration.ofDays(7))).isEqualTo(old);

    assertThat(DATABASE.number(oldRows())).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event"))
        .isEqualTo(23_456 - old);
  }

  @Test
  void rowsThatReusedTheSpaceOfForgottenOnesArePrunedInTheirTurn() throws Exception {
    for (int round = 0; round < 3; round++) {
      insert(6_000, "now() - interval '30 days'");
      insert(100, "now()");
      assertThat(inbox.prune(Duration.ofDays(7))).isEqualTo(6_000);
      DATABASE.execute("VACUUM onceward_processed_event");
    }
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isEqualTo(300);
  }

  @Test
  void pruningTwiceAtOnceCountsEachRowOnceAndDisturbsNoEffect() throws Exception {
    insert(30_000, "now() - interval '30 days'");
    PGSimpleDataSource strict = DATABASE.plain();
    strict.setOptions("-c default_transaction_isolation=serializable");
    JdbcInbox pruner = JdbcInbox.on(strict);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> pruned = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        pruned.add(threads.submit(() -> pruner.prune(Duration.ofDays(7))));
      }
      List<Future<Long>> applied = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int thread = i;
        applied.add(
            threads.submit(
                () -> {
                  for (int e = 0; e < 100; e++) {
                    assertThat(inbox.process(event(thread + "-" + e), tx -> {})).isEqualTo(APPLIED);
                  }
                  return 100L;
                }));
      }
      assertThat(pruned.get(0).get() + pruned.get(1).get()).isEqualTo(30_000);
      assertThat(applied.get(0).get() + applied.get(1).get()).isEqualTo(200);
    } finally {
      threads.shutdownNow();
    }
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_processed_event")).isEqualTo(200);
  }

  @Test
  void eachBatchIsATransactionOfItsOwn() throws Exception {
    insert(12_000, "now() - interval '30 days'");
    try (Connection raw = DATABASE.plain().getConnection()) {
      List<Long> leftAtCommit = new ArrayList<>();
      JdbcInbox watched =
          JdbcInbox.on(
              new WatchedDataSource(
                  () ->
                      Connections.afterCommit(
                          raw,
                          () ->
                              leftAtCommit.add(
                                  DATABASE.number(
                                      "SELECT count(*) FROM onceward_processed_event")))));

      assertThat(watched.prune(Duration.ofDays(7))).isEqualTo(12_000);
      assertThat(leftAtCommit).containsExactly(12_000L, 7_000L, 2_000L, 0L);
    }
  }

  @Test
  void anInterruptStopsBetweenBatchesAndKeepsTheFlag() throws Exception {
    insert(12_000, "now() - interval '30 days'");
    try (Connection raw = DATABASE.plain().getConnection()) {
      AtomicInteger commits = new AtomicInteger(); // the first is of the look at the clock
      JdbcInbox interrupted =
          JdbcInbox.on(
              new WatchedDataSource(
                  () ->
                      Connections.afterCommit(
                          raw,
                          () -> {
                            if (commits.incrementAndGet() == 2) {
                              Thread.currentThread().interrupt();
                            }
                          })));

      assertThat(interrupted.prune(Duration.ofDays(7))).isEqualTo(5_000);
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(inbox.prune(Duration.ofDays(7))).isEqualTo(7_000);
  }

  @Test
  void aWindowOutOfRangeIsRefused() {
    for (Duration window : List.of(Duration.ZERO, Duration.ofDays(-1), Duration.ofDays(36_501))) {
      assertThatThrownBy(() -> inbox.prune(window))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("olderThan");
    }
    assertThat(inbox.prune(Duration.ofDays(36_500))).isZero();
  }

  private static void insert(int rows, String processedAt) throws SQLException {
    DATABASE.execute(
        "INSERT INTO onceward_processed_event (handler, event_key, processed_at)"
            + " SELECT 1, gen_random_uuid(), "
            + processedAt
            + " FROM generate_series(1, "
            + rows
            + ") i");
  }

  private static String oldRows() {
    return "SELECT count(*) FROM onceward_processed_event"
        + " WHERE processed_at < now() - interval '7 days'";
  }
}
