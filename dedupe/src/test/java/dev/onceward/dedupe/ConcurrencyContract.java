package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.Events.put;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static dev.onceward.dedupe.InboxOutcome.GAP;
import static dev.onceward.dedupe.InboxOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Concurrent effects on every database. */
abstract class ConcurrencyContract {
  static final int THREADS = 8;

  private final SqlDatabase database;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  ConcurrencyContract(SqlDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void reset() throws SQLException {
    database.reset();
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void aConcurrentDuplicateWaitsAndIsSkippedWhenTheFirstCommits(TransactionIsolation isolation)
      throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxOutcome> first = slow(inbox(isolation), finish, null);
    Future<InboxOutcome> second =
        threads.submit(() -> inbox(isolation).process(event("e1"), charge("second", 1)));
    database.awaitBlocked(1);
    finish.countDown();

    assertThat(first.get()).isEqualTo(APPLIED);
    assertThat(second.get()).isEqualTo(DUPLICATE);
    assertThat(database.texts("SELECT account FROM ledger")).containsExactly("first");
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void aConcurrentDuplicateIsAppliedWhenTheFirstRollsBack(TransactionIsolation isolation)
      throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxOutcome> first =
        slow(inbox(isolation), finish, new IllegalStateException("card declined"));
    Future<InboxOutcome> second =
        threads.submit(() -> inbox(isolation).process(event("e1"), charge("second", 1)));
    database.awaitBlocked(1);
    finish.countDown();

    assertThatThrownBy(first::get).hasRootCauseMessage("card declined");
    assertThat(second.get()).isEqualTo(APPLIED);
    assertThat(database.texts("SELECT account FROM ledger")).containsExactly("second");
  }

  @Test
  void manyThreadsAndInboxesApplyEachEventOfAShuffledStreamOnce() throws Exception {
    DataSource pool = database.pool(THREADS);
    List<JdbcInbox> inboxes = List.of(JdbcInbox.on(pool), JdbcInbox.on(pool));
    int events = 200;
    List<Integer> deliveries = new ArrayList<>();
    for (int copy = 0; copy < 4; copy++) {
      for (int i = 0; i < events; i++) {
        deliveries.add(i);
      }
    }
    Collections.shuffle(deliveries, new Random(7));
    AtomicInteger applied = new AtomicInteger();
    List<Callable<InboxOutcome>> work = new ArrayList<>();
    for (int delivery : deliveries) {
      work.add(
          () -> {
            InboxOutcome outcome =
                inboxes
                    .get(work.size() % inboxes.size())
                    .process(event("e" + delivery), charge("a" + delivery % 10, delivery));
            if (outcome == APPLIED) {
              applied.incrementAndGet();
            }
            return outcome;
          });
    }
    runAll(work);

    assertThat(applied).hasValue(events);
    assertThat(database.number("SELECT count(*) FROM ledger")).isEqualTo(events);
    assertThat(database.number("SELECT sum(amount) FROM ledger"))
        .isEqualTo(events * (events - 1) / 2);
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void theNewestVersionWinsWhateverTheOrderAndIsolation(TransactionIsolation isolation)
      throws Exception {
    JdbcInbox inbox =
        database
            .inbox(isolation)
            .transactionRetries(100)
            .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(20))
            .build();
    int versions = 40;
    List<Callable<InboxOutcome>> work = new ArrayList<>();
    for (int version = 1; version <= versions; version++) {
      for (int key = 0; key < 3; key++) {
        String entity = "k" + key;
        int value = version;
        work.add(
            () ->
                inbox.process(
                    event(entity + "-" + value, entity, value), put(database, entity, value)));
      }
    }
    Collections.shuffle(work, new Random(11));
    runAll(work);

    assertThat(database.texts("SELECT amount FROM state"))
        .containsExactly("" + versions, "" + versions, "" + versions);
    assertThat(database.number("SELECT min(version) FROM onceward_entity_version"))
        .isEqualTo(versions);
  }

  @Test
  void effectsOfOtherEventsAndEntitiesDoNotWaitForEachOther() throws Exception {
    // a wait would end in a lock timeout, or in a deadlock that is not repeated
    JdbcInbox inbox = JdbcInbox.builder(database.pool(4)).transactionRetries(0).build();
    int entities = 12;
    List<InboxEntry> before = new ArrayList<>();
    for (int i = 0; i < entities; i++) {
      before.add(event("old" + i, "k" + i, 5));
    }
    inbox.processAll(before, (tx, fresh) -> {});
    Fence odd = inbox.takeFence(new FenceScope("billing", "orders", null, 1));
    Fence even = inbox.takeFence(new FenceScope("billing", "orders", null, 2));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<List<InboxOutcome>> first =
        threads.submit(
            () ->
                inbox.processAll(
                    ofEverySecond(1, entities, odd),
                    (tx, fresh) -> {
                      started.countDown();
                      finish.await();
                    }));
    started.await();

    List<InboxOutcome> second =
        inbox.processAll(ofEverySecond(0, entities, even), (tx, fresh) -> {});
    for (InboxEntry entry : ofEverySecond(0, entities, even)) {
      assertThat(inbox.process(entry, tx -> {})).isNotEqualTo(APPLIED);
    }
    assertThat(inbox.takeFence(even.scope()).epoch()).isEqualTo(even.epoch() + 1);
    finish.countDown();
    assertThat(first.get()).isEqualTo(second).contains(APPLIED, DUPLICATE, STALE, GAP);
  }

  /** Fresh, stale, repeated and early events, of new entities and of known ones. */
  private static List<InboxEntry> ofEverySecond(int from, int entities, Fence fence) {
    List<InboxEntry> entries = new ArrayList<>();
    for (int i = from; i < entities; i += 2) {
      for (InboxEntry entry :
          List.of(
              event("new" + i, "k" + i, 6),
              event("old" + i, "k" + i, 5),
              event("stale" + i, "k" + i, 4),
              event("first" + i, "f" + i, 1),
              event("early" + i).withVersion(EntityVersion.next("orders", "g" + i, 2)))) {
        entries.add(entry.withFence(fence));
      }
    }
    return entries;
  }

  @Test
  void deadlocksBetweenEffectsAreRepeated() throws Exception {
    database.execute("INSERT INTO state VALUES ('a', 0), ('b', 0)");
    JdbcInbox inbox = JdbcInbox.builder(database.pool(2)).transactionRetries(50).build();
    CountDownLatch bothHoldOne = new CountDownLatch(2);
    AtomicInteger runs = new AtomicInteger();
    Inbox.Effect aThenB = tx -> crossing("a", "b", bothHoldOne, runs, tx);
    Inbox.Effect bThenA = tx -> crossing("b", "a", bothHoldOne, runs, tx);

    runAll(
        List.of(
            () -> inbox.process(event("e1"), aThenB), () -> inbox.process(event("e2"), bThenA)));

    assertThat(runs).hasValueGreaterThan(2);
    assertThat(database.texts("SELECT amount FROM state")).containsExactly("2", "2");
  }

  private static void crossing(
      String first,
      String second,
      CountDownLatch bothHoldOne,
      AtomicInteger runs,
      java.sql.Connection tx)
      throws Exception {
    runs.incrementAndGet();
    Events.execute(tx, "UPDATE state SET amount = amount + 1 WHERE name = '" + first + "'");
    bothHoldOne.countDown();
    bothHoldOne.await();
    Events.execute(tx, "UPDATE state SET amount = amount + 1 WHERE name = '" + second + "'");
  }

  @Test
  void oneHandlerRegisteredByManyAtOnceGetsOneNumber() throws Exception {
    DataSource pool = database.pool(THREADS);
    for (int round = 0; round < 10; round++) {
      String handler = "handler-" + round;
      CountDownLatch start = new CountDownLatch(THREADS);
      List<Callable<InboxOutcome>> work = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        String id = "e" + i % 2;
        work.add(
            () -> {
              start.countDown();
              start.await();
              return JdbcInbox.on(pool).process(event(handler, id), charge(handler, 1));
            });
      }
      assertThat(runAll(work).stream().filter(APPLIED::equals)).hasSize(2);
    }

    assertThat(database.number("SELECT count(*) FROM onceward_handler WHERE name LIKE 'handler-%'"))
        .isEqualTo(10);
    assertThat(database.number("SELECT count(*) FROM ledger")).isEqualTo(20);
  }

  private JdbcInbox inbox(TransactionIsolation isolation) {
    return database.inbox(isolation).build();
  }

  /** Returns once the effect of e1 holds its transaction open. */
  Future<InboxOutcome> slow(
      JdbcInbox inbox, CountDownLatch finish, @org.jspecify.annotations.Nullable Exception failure)
      throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    Future<InboxOutcome> future =
        threads.submit(
            () ->
                inbox.process(
                    event("e1"),
                    tx -> {
                      insert(tx, "first", 1);
                      started.countDown();
                      finish.await();
                      if (failure != null) {
                        throw failure;
                      }
                    }));
    started.await();
    return future;
  }

  List<InboxOutcome> runAll(List<Callable<InboxOutcome>> work)
      throws InterruptedException, ExecutionException {
    List<InboxOutcome> outcomes = new ArrayList<>();
    for (Future<InboxOutcome> future : threads.invokeAll(work)) {
      outcomes.add(future.get());
    }
    return outcomes;
  }
}
