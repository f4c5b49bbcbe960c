package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.onceward.dedupe.Inbox.BatchEffect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every database does with many events in one transaction. */
abstract class BatchContract {
  private static final int THREADS = 6;

  private final SqlDatabase database;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final JdbcInbox inbox;

  BatchContract(SqlDatabase database) {
    this.database = database;
    this.inbox = JdbcInbox.on(database.plain());
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void freshEventsAreAppliedAtOnceAndTheOthersSayWhyNot() throws Exception {
    inbox.process(event("old"), tx -> {});
    inbox.process(event("k5", "k", 5), tx -> {});

    assertThat(
            inbox.processAll(
                List.of(
                    event("new"),
                    event("old"),
                    event("new"),
                    event("k4", "k", 4),
                    event("k6", "k", 6),
                    event("k5 again", "k", 5),
                    event("k6 again", "k", 6),
                    event("k7", "k", 7),
                    event("shipping", "old")),
                charge(0, 4, 7, 8)))
        .containsExactly(
            APPLIED, DUPLICATE, DUPLICATE, STALE, APPLIED, STALE, STALE, APPLIED, APPLIED);

    assertThat(database.number("SELECT count(*) FROM ledger")).isEqualTo(4);
    assertThat(database.number("SELECT version FROM onceward_entity_version")).isEqualTo(7);
    assertThat(rows()).as("none of the stale ones").isEqualTo(6);
    assertThat(inbox.process(event("k4", "k", 4), tx -> {})).isEqualTo(STALE);
  }

  @Test
  void anEventThatComesTwiceAndIsStaleFirstIsJudgedAgain() throws Exception {
    inbox.process(event("k5", "k", 5), tx -> {});

    assertThat(
            inbox.processAll(
                List.of(event("e", "k", 4), event("e", "other", 1), event("e", "other", 2)),
                charge(1)))
        .containsExactly(STALE, APPLIED, DUPLICATE);
    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void withNothingFreshTheEffectDoesNotRunAndNothingIsWritten() throws Exception {
    BatchEffect never =
        (tx, fresh) -> {
          throw new AssertionError("ran for " + fresh);
        };
    inbox.process(event("e1", "k", 5), tx -> {});

    assertThat(inbox.processAll(List.of(), never)).isEmpty();
    assertThat(inbox.processAll(List.of(event("e1"), event("e2", "k", 5)), never))
        .containsExactly(DUPLICATE, STALE);
    assertThat(inbox.processAll(List.of(event("e1")), never)).containsExactly(DUPLICATE);
    assertThat(rows()).isOne();
  }

  @Test
  void plainAndGuardedEntriesShareATransaction() throws Exception {
    InboxEntry plain = event("e1").withIdempotency(InboxEntry.Idempotency.NONE);
    InboxEntry guarded = event("e2", "k", 1).withIdempotency(InboxEntry.Idempotency.NONE);

    assertThat(inbox.processAll(List.of(plain, guarded, guarded, plain), charge(0, 1, 3)))
        .containsExactly(APPLIED, APPLIED, STALE, APPLIED);
    assertThat(inbox.processAll(List.of(plain, plain), charge(0, 1)))
        .containsExactly(APPLIED, APPLIED);
    assertThat(rows()).isZero();
  }

  @Test
  void whenTheEffectThrowsNothingIsCommittedForAny() throws Exception {
    IllegalStateException failure = new IllegalStateException("card declined");
    List<InboxEntry> entries = List.of(event("e1", "k", 1), event("e2", "j", 1), event("e3"));

    assertThatThrownBy(
            () ->
                inbox.processAll(
                    entries,
                    (tx, fresh) -> {
                      insert(tx, "a", 1);
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(database.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(rows()).isZero();
    assertThat(database.number("SELECT count(*) FROM onceward_entity_version")).isZero();
    assertThat(inbox.processAll(entries, charge(0, 1, 2))).containsOnly(APPLIED);
  }

  @Test
  void aBatchIsRepeatedAsAWhole() throws Exception {
    AtomicInteger runs = new AtomicInteger();

    assertThat(
            inbox.processAll(
                List.of(event("e1", "k", 1), event("e2", "k", 2)),
                (tx, fresh) -> {
                  insert(tx, "a", 1);
                  if (runs.incrementAndGet() == 1) {
                    throw new SQLException("conflict", "40001");
                  }
                }))
        .containsExactly(APPLIED, APPLIED);
    assertThat(runs).hasValue(2);
    assertThat(database.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void aBatchOfThousandsIsOneTransaction() throws Exception {
    AtomicInteger commits = new AtomicInteger();
    JdbcInbox counted =
        JdbcInbox.on(
            new WatchedDataSource(
                () ->
                    Connections.afterCommit(
                        database.plain().getConnection(), commits::incrementAndGet)));
    for (int handler = 0; handler < 7; handler++) {
      counted.process(event("handler " + handler, "registered"), tx -> {});
    }
    commits.set(0);
    List<InboxEntry> entries = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      entries.add(event("handler " + i % 7, "e" + i).withVersion(version("k" + i % 50, i)));
    }
    assertThat(counted.processAll(entries, (tx, fresh) -> assertThat(fresh).hasSize(5_000)))
        .containsOnly(APPLIED)
        .hasSize(5_000);
    assertThat(commits).hasValue(1);
    assertThat(inbox.processAll(entries, (tx, fresh) -> {})).containsOnly(DUPLICATE);
    assertThat(rows()).isEqualTo(5_007);
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void ofTwoBatchesWithANewEntityTheSecondWaitsAndIsJudgedAfterTheFirst(
      TransactionIsolation isolation) throws Exception {
    JdbcInbox strict = database.inbox(isolation).build();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    strict.process(event("registered"), tx -> {});
    Future<List<InboxOutcome>> first =
        threads.submit(
            () ->
                strict.processAll(
                    List.of(event("a1", "k", 5), event("a2", "j", 1)),
                    (tx, fresh) -> {
                      started.countDown();
                      finish.await();
                    }));
    started.await();
    Future<List<InboxOutcome>> second =
        threads.submit(
            () ->
                strict.processAll(
                    List.of(event("b1", "k", 4), event("b2", "k", 6), event("b3", "i", 1)),
                    (tx, fresh) -> assertThat(fresh).containsExactly(1, 2)));
    database.awaitBlocked(1);
    finish.countDown();

    assertThat(first.get()).containsOnly(APPLIED);
    assertThat(second.get()).containsExactly(STALE, APPLIED, APPLIED);
    assertThat(database.texts("SELECT version FROM onceward_entity_version ORDER BY 1"))
        .containsExactly("1", "1", "6");
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void aBatchWaitsForADuplicateUnderWay(TransactionIsolation isolation) throws Exception {
    JdbcInbox strict = database.inbox(isolation).build();
    for (boolean commits : new boolean[] {true, false}) {
      database.execute("DELETE FROM onceward_processed_event");
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch finish = new CountDownLatch(1);
      Future<InboxOutcome> single =
          threads.submit(
              () ->
                  strict.process(
                      event("e1"),
                      tx -> {
                        started.countDown();
                        finish.await();
                        if (!commits) {
                          throw new IllegalStateException("no");
                        }
                      }));
      started.await();
      Future<List<InboxOutcome>> batch =
          threads.submit(
              () -> strict.processAll(List.of(event("e0"), event("e1")), (tx, fresh) -> {}));
      database.awaitBlocked(1);
      finish.countDown();

      assertThat(batch.get()).containsExactly(APPLIED, commits ? DUPLICATE : APPLIED);
      if (commits) {
        assertThat(single.get()).isEqualTo(APPLIED);
      } else {
        assertThatThrownBy(single::get).hasRootCauseMessage("no");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void aRowThatABatchTakesBackIsNoDuplicateForOneThatWaits(TransactionIsolation isolation)
      throws Exception {
    JdbcInbox strict = database.inbox(isolation).build();
    InboxEntry early = event("e3").withVersion(InboxEntry.EntityVersion.next("orders", "k", 3));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    strict.process(event("registered"), tx -> {});
    Future<List<InboxOutcome>> batch =
        threads.submit(
            () ->
                strict.processAll(
                    List.of(early, event("other")),
                    (tx, fresh) -> {
                      started.countDown();
                      finish.await();
                    }));
    started.await();
    Future<InboxOutcome> single = threads.submit(() -> strict.process(early, tx -> {}));
    Future<List<InboxOutcome>> more =
        threads.submit(() -> strict.processAll(List.of(early, event("more")), (tx, fresh) -> {}));
    await().until(() -> database.blocked() > 0 || (single.isDone() && more.isDone()));
    finish.countDown();

    assertThat(batch.get()).containsExactly(InboxOutcome.GAP, APPLIED);
    assertThat(single.get()).isEqualTo(InboxOutcome.GAP);
    assertThat(more.get()).containsExactly(InboxOutcome.GAP, APPLIED);
  }

  @Test
  void batchesOverTheSameEventsAndEntitiesInAnyOrderDoNotDeadlock() throws Exception {
    JdbcInbox once =
        JdbcInbox.builder(database.pool(THREADS)).transactionRetries(database.deadlocks()).build();
    List<InboxEntry> first = new ArrayList<>();
    for (int key = 0; key < 30; key++) {
      first.add(event("first" + key, "k" + key, 0));
    }
    once.processAll(first, (tx, fresh) -> {});
    Random random = new Random(5);
    List<Callable<List<InboxOutcome>>> work = new ArrayList<>();
    AtomicInteger applied = new AtomicInteger();
    for (int batch = 0; batch < 60; batch++) {
      List<InboxEntry> entries = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int key = random.nextInt(30);
        int version = 1 + random.nextInt(40);
        entries.add(event("e" + key + "-" + version, "k" + key, version));
      }
      Collections.shuffle(entries, random);
      work.add(() -> once.processAll(entries, (tx, fresh) -> applied.addAndGet(fresh.size())));
    }
    List<InboxOutcome> outcomes = new ArrayList<>();
    for (Future<List<InboxOutcome>> future : threads.invokeAll(work)) {
      outcomes.addAll(future.get());
    }

    assertThat(outcomes).hasSize(60 * 20);
    assertThat(applied.get()).isEqualTo((int) outcomes.stream().filter(APPLIED::equals).count());
    assertThat(rows()).isEqualTo(30L + applied.get());
  }

  @Test
  void batchesAndSingleEventsTogetherApplyEachEventOnce() throws Exception {
    JdbcInbox pooled =
        JdbcInbox.builder(database.pool(THREADS))
            .transactionRetries(50)
            .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(10))
            .build();
    List<Callable<Object>> work = new ArrayList<>();
    Random random = new Random(3);
    for (int i = 0; i < 40; i++) {
      List<InboxEntry> entries = new ArrayList<>();
      for (int e = 0; e < 10; e++) {
        entries.add(event("e" + random.nextInt(100)));
      }
      work.add(
          () ->
              pooled.processAll(
                  entries,
                  (tx, fresh) -> {
                    for (int position : fresh) {
                      insert(tx, entries.get(position).eventId(), 1);
                    }
                  }));
      InboxEntry one = event("e" + i);
      work.add(() -> pooled.process(one, tx -> insert(tx, one.eventId(), 1)));
    }
    for (Future<Object> future : threads.invokeAll(work)) {
      future.get();
    }

    assertThat(
            database.number(
                "SELECT max(n) FROM (SELECT count(*) n FROM ledger GROUP BY account) x"))
        .isOne();
    assertThat(database.number("SELECT count(*) FROM ledger")).isEqualTo(rows());
  }

  private static InboxEntry.EntityVersion version(String key, long version) {
    return InboxEntry.EntityVersion.latest("orders", key, version);
  }

  private static BatchEffect charge(Integer... expected) {
    return (Connection tx, List<Integer> fresh) -> {
      assertThat(fresh).containsExactly(expected);
      for (int position : fresh) {
        insert(tx, "position " + position, 1);
      }
    };
  }

  private long rows() throws SQLException {
    return database.number("SELECT count(*) FROM onceward_processed_event");
  }
}
