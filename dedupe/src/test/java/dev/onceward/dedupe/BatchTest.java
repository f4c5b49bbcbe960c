package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.Inbox.BatchEffect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int THREADS = 6;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  @BeforeAll
  static void createTables() throws SQLException {
    Events.createLedger(DATABASE);
    JdbcInbox.on(DATABASE.plain()).createSchema();
  }

  @BeforeEach
  void empty() throws SQLException {
    DATABASE.execute("TRUNCATE ledger, state, onceward_processed_event, onceward_entity_version");
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

    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isEqualTo(4);
    assertThat(DATABASE.number("SELECT version FROM onceward_entity_version")).isEqualTo(7);
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
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isZero();
    assertThat(rows()).isZero();
    assertThat(DATABASE.number("SELECT count(*) FROM onceward_entity_version")).isZero();
    assertThat(inbox.processAll(entries, charge(0, 1, 2))).containsOnly(APPLIED);
  }

  @Test
  void aSwallowedErrorCommitsNothingAndNamesTheBatch() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.processAll(
                    List.of(event("e1"), event("e2")),
                    (tx, fresh) ->
                        assertThatThrownBy(() -> Events.execute(tx, "SELECT 1/0"))
                            .isInstanceOf(SQLException.class)))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("a batch of 2 events beginning with event e1 in handler billing")
        .hasMessageContaining("22012");
    assertThat(rows()).isZero();
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
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isOne();
  }

  @Test
  void aBatchOfThousandsIsOneTransaction() throws Exception {
    List<InboxEntry> entries = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      entries.add(event("handler " + i % 7, "e" + i).withVersion(version("k" + i % 50, i)));
    }
    assertThat(inbox.processAll(entries, (tx, fresh) -> assertThat(fresh).hasSize(5_000)))
        .containsOnly(APPLIED)
        .hasSize(5_000);
    assertThat(inbox.processAll(entries, (tx, fresh) -> {})).containsOnly(DUPLICATE);
    assertThat(rows()).isEqualTo(5_000);
    assertThat(DATABASE.number("SELECT count(DISTINCT xmin::text) FROM onceward_processed_event"))
        .isOne();
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void ofTwoBatchesWithANewEntityTheSecondWaitsAndIsJudgedAfterTheFirst(
      TransactionIsolation isolation) throws Exception {
    JdbcInbox strict = JdbcInbox.builder(DATABASE.plain()).isolation(isolation).build();
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
    Blocked.await(DATABASE, 1);
    finish.countDown();

    assertThat(first.get()).containsOnly(APPLIED);
    assertThat(second.get()).containsExactly(STALE, APPLIED, APPLIED);
    assertThat(DATABASE.texts("SELECT version FROM onceward_entity_version ORDER BY 1"))
        .containsExactly("1", "1", "6");
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void aBatchWaitsForADuplicateUnderWay(TransactionIsolation isolation) throws Exception {
    JdbcInbox strict = JdbcInbox.builder(DATABASE.plain()).isolation(isolation).build();
    for (boolean commits : new boolean[] {true, false}) {
      DATABASE.execute("TRUNCATE onceward_processed_event");
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
      Blocked.await(DATABASE, 1);
      finish.countDown();

      assertThat(batch.get()).containsExactly(APPLIED, commits ? DUPLICATE : APPLIED);
      if (commits) {
        assertThat(single.get()).isEqualTo(APPLIED);
      } else {
        assertThatThrownBy(single::get).hasRootCauseMessage("no");
      }
    }
  }

  @Test
  void batchesOverTheSameEventsAndEntitiesInAnyOrderDoNotDeadlock() throws Exception {
    JdbcInbox once = JdbcInbox.builder(DATABASE.pool(THREADS)).transactionRetries(0).build();
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
        JdbcInbox.builder(DATABASE.pool(THREADS))
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
            DATABASE.number(
                "SELECT max(n) FROM (SELECT count(*) n FROM ledger GROUP BY account) x"))
        .isOne();
    assertThat(DATABASE.number("SELECT count(*) FROM ledger")).isEqualTo(rows());
  }

  @Test
  void aBatchCostsOneStatementAndMoreOnlyWhenNotAllIsFresh() throws Exception {
    List<Statement> sent = new ArrayList<>();
    JdbcInbox counted =
        JdbcInbox.on(
            new WatchedDataSource(
                () -> Connections.recording(DATABASE.plain().getConnection(), sent)));
    counted.process(event("registered"), tx -> {});

    sent.clear();
    counted.process(event("e1", "k", 1), tx -> {});
    assertThat(sent).hasSize(1);
    sent.clear();
    counted.processAll(List.of(event("e2"), event("e3"), event("e4")), (tx, fresh) -> {});
    assertThat(sent).hasSize(1);
    sent.clear();
    counted.processAll(List.of(event("e5", "k", 2), event("e6", "j", 1)), (tx, fresh) -> {});
    assertThat(sent).hasSize(1);
    sent.clear();
    // a further version of an entity in the same batch
    counted.processAll(List.of(event("e10", "k", 3), event("e11", "k", 4)), (tx, fresh) -> {});
    assertThat(sent).hasSize(2);
    sent.clear();
    // a stale one: its version is read and its row taken back, the other one is written already
    counted.processAll(List.of(event("e12", "k", 1), event("e13", "j", 2)), charge(1));
    assertThat(sent).hasSize(4);
    sent.clear();
    // a duplicate: the versions are read, judged and written
    counted.processAll(List.of(event("e13", "j", 2), event("e14", "j", 3)), charge(1));
    assertThat(sent).hasSize(4);
    Fence fence = counted.takeFence(new FenceScope("g", "t", null, 0));
    sent.clear();
    counted.processAll(
        List.of(event("e7").withFence(fence), event("e8").withFence(fence)), (tx, fresh) -> {});
    assertThat(sent).hasSize(2);
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

  private static long rows() throws SQLException {
    return DATABASE.number("SELECT count(*) FROM onceward_processed_event");
  }
}
