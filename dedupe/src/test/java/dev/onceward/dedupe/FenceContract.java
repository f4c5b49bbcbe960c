package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.charge;
import static dev.onceward.dedupe.Events.event;
import static dev.onceward.dedupe.Events.insert;
import static dev.onceward.dedupe.InboxOutcome.APPLIED;
import static dev.onceward.dedupe.InboxOutcome.DUPLICATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.InboxEntry.Idempotency;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fences, and idempotency by offset, on every database. */
abstract class FenceContract {
  private static final FenceScope SCOPE = new FenceScope("billing", "orders", null, 0);

  private final SqlDatabase database;
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final JdbcInbox inbox;

  FenceContract(SqlDatabase database) {
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
  void epochsOnlyGrowAndEachPartitionAndGroupHasItsOwn() {
    assertThat(inbox.takeFence(SCOPE).epoch()).isOne();
    assertThat(JdbcInbox.on(database.plain()).takeFence(SCOPE).epoch()).isEqualTo(2);
    assertThat(inbox.takeFence(new FenceScope("billing", "orders", null, 1)).epoch()).isOne();
    assertThat(inbox.takeFence(new FenceScope("other", "orders", null, 0)).epoch()).isOne();
    assertThat(inbox.takeFence(SCOPE)).isEqualTo(new Fence(SCOPE, 3));
  }

  @Test
  void fencesTakenAtOnceHaveDifferentEpochs() throws Exception {
    List<Future<Long>> taken = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      taken.add(threads.submit(() -> inbox.takeFence(SCOPE).epoch()));
    }
    Set<Long> epochs = new HashSet<>();
    for (Future<Long> epoch : taken) {
      epochs.add(epoch.get());
    }
    assertThat(epochs).hasSize(40).contains(1L, 40L);
  }

  @Test
  void theNewestFenceCommitsAndAFormerOneIsRefusedBeforeItsHandlerStarts() throws Exception {
    Fence old = inbox.takeFence(SCOPE);
    assertThat(inbox.process(event("e1").withFence(old), charge("a", 1))).isEqualTo(APPLIED);
    Fence now = inbox.takeFence(SCOPE);

    for (InboxEntry entry :
        List.of(
            event("e2").withFence(old),
            event("e2").withFence(old).withIdempotency(Idempotency.NONE),
            event("e2", "k", 1).withFence(old),
            event("unknown handler", "e2").withFence(old),
            event("e2").atOffset(old, 7))) {
      assertThatThrownBy(() -> inbox.process(entry, charge("late", 1)))
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("orders-0 of group billing")
          .hasMessageContaining("epoch 1")
          .hasMessageContaining("epoch 2 was taken since")
          .message()
          .doesNotContain("\n");
    }
    assertThat(inbox.process(event("e2").withFence(now), charge("b", 1))).isEqualTo(APPLIED);
    assertThat(accounts()).containsExactly("a", "b");
  }

  @Test
  void aFenceThatWasNeverTakenCommitsNothing() {
    assertThatThrownBy(
            () -> inbox.process(event("e1").withFence(new Fence(SCOPE, 1)), charge("a", 1)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("Inbox.takeFence");
  }

  @ParameterizedTest
  @EnumSource(TransactionIsolation.class)
  void anOwnerReplacedWhileItsHandlerRunsCommitsNothingAndTheNewOneDoesNotWait(
      TransactionIsolation isolation) throws Exception {
    Fence old = inbox.takeFence(SCOPE);
    JdbcInbox strict = database.inbox(isolation).build();
    for (InboxEntry entry : List.of(event("e1").withFence(old), event("e2").atOffset(old, 4))) {
      database.execute("UPDATE onceward_fence SET epoch = 1");
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch finish = new CountDownLatch(1);
      Future<InboxOutcome> zombie =
          threads.submit(
              () ->
                  strict.process(
                      entry,
                      tx -> {
                        insert(tx, "zombie", 1);
                        started.countDown();
                        finish.await();
                      }));
      started.await();

      assertThat(threads.submit(() -> inbox.takeFence(SCOPE)).get(30, TimeUnit.SECONDS).epoch())
          .isEqualTo(2);
      finish.countDown();

      assertThatThrownBy(zombie::get).hasCauseInstanceOf(FencedException.class);
    }
    assertThat(accounts()).isEmpty();
    assertThat(database.number("SELECT count(*) FROM onceward_processed_event")).isZero();
    assertThat(database.number("SELECT count(next_offset) FROM onceward_fence")).isZero();
  }

  @Test
  void aNewOwnerWaitsForACommitThatIsUnderWay() throws Exception {
    Fence old = inbox.takeFence(SCOPE);
    for (InboxEntry entry : List.of(event("e1").withFence(old), event("e2").atOffset(old, 4))) {
      database.execute("UPDATE onceward_fence SET epoch = 1");
      CountDownLatch checked = new CountDownLatch(1);
      CountDownLatch finish = new CountDownLatch(1);
      JdbcInbox slow =
          JdbcInbox.on(
              new WatchedDataSource(
                  () ->
                      Connections.beforeCommit(
                          database.plain().getConnection(),
                          () -> {
                            checked.countDown();
                            finish.await();
                          })));
      Future<InboxOutcome> committing =
          threads.submit(() -> slow.process(entry, charge("in time", 1)));
      checked.await();
      Future<Fence> taken = threads.submit(() -> inbox.takeFence(SCOPE));
      database.awaitBlocked(1);
      assertThat(taken).isNotDone();
      finish.countDown();

      assertThat(committing.get()).isEqualTo(APPLIED);
      assertThat(taken.get().epoch()).isEqualTo(2);
    }
    assertThat(accounts()).hasSize(2);
  }

  @Test
  void handlersOfOnePartitionDoNotWaitForEachOther() throws Exception {
    Fence fence = inbox.takeFence(SCOPE);
    CountDownLatch all = new CountDownLatch(4);
    List<Future<InboxOutcome>> running = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      InboxEntry entry = event("e" + i).withFence(fence);
      running.add(
          threads.submit(
              () ->
                  inbox.process(
                      entry,
                      tx -> {
                        all.countDown();
                        all.await();
                      })));
    }
    for (Future<InboxOutcome> outcome : running) {
      assertThat(outcome.get()).isEqualTo(APPLIED);
    }
  }

  @Test
  void aBatchWithOneFormerFenceCommitsNothing() {
    FenceScope other = new FenceScope("billing", "orders", null, 1);
    Fence held = inbox.takeFence(SCOPE);
    Fence lost = inbox.takeFence(other);
    inbox.takeFence(other);

    assertThatThrownBy(
            () ->
                inbox.processAll(
                    List.of(event("e1").withFence(held), event("e2").withFence(lost)),
                    (tx, fresh) -> insert(tx, "late", 1)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("orders-1");
    assertThatThrownBy(
            () ->
                inbox.processAll(
                    List.of(
                        event("e1").withFence(inbox.takeFence(SCOPE)), event("e2").withFence(held)),
                    (tx, fresh) -> insert(tx, "late", 1)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("epoch 2 was taken since");
  }

  @Test
  void aBatchReplacedWhileItRunsCommitsNothing() throws Exception {
    Fence held = inbox.takeFence(SCOPE);
    Fence other = inbox.takeFence(new FenceScope("billing", "orders", null, 1));

    assertThatThrownBy(
            () ->
                inbox.processAll(
                    List.of(
                        event("e1").withFence(held),
                        event("e2").atOffset(other, 3),
                        event("e3").atOffset(other, 4)),
                    (tx, fresh) -> {
                      insert(tx, "late", 1);
                      inbox.takeFence(SCOPE);
                    }))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("a batch of 3 events");
    assertThat(accounts()).isEmpty();
    assertThat(database.number("SELECT count(next_offset) FROM onceward_fence")).isZero();
  }

  @Test
  void byOffsetEachRecordTakesEffectOnceInOneRowForAll() throws Exception {
    Fence fence = inbox.takeFence(SCOPE);
    for (long offset : new long[] {5, 6, 8}) {
      assertThat(inbox.process(event("e").atOffset(fence, offset), charge("o" + offset, 1)))
          .isEqualTo(APPLIED);
      assertThat(inbox.process(event("e").atOffset(fence, offset), charge("again", 1)))
          .isEqualTo(DUPLICATE);
    }
    assertThat(inbox.process(event("e").atOffset(fence, 2), charge("again", 1)))
        .isEqualTo(DUPLICATE);

    assertThat(accounts()).containsExactly("o5", "o6", "o8");
    assertThat(database.number("SELECT count(*) FROM onceward_processed_event")).isZero();
    Fence next = inbox.takeFence(SCOPE);
    assertThat(next.nextOffset()).isEqualTo(OptionalLong.of(9));
    assertThat(inbox.process(event("e").atOffset(next, 8), charge("again", 1)))
        .as("the new owner starts where it likes")
        .isEqualTo(DUPLICATE);
  }

  @Test
  void anEffectThatFailsDoesNotMoveTheOffset() throws Exception {
    Fence fence = inbox.takeFence(SCOPE);

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e").atOffset(fence, 5),
                    tx -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(inbox.process(event("e").atOffset(fence, 5), charge("a", 1))).isEqualTo(APPLIED);
  }

  @Test
  void aBatchMovesTheOffsetToTheHighest() throws Exception {
    Fence fence = inbox.takeFence(SCOPE);
    inbox.process(event("e").atOffset(fence, 3), tx -> {});

    assertThat(
            inbox.processAll(
                List.of(
                    event("a").atOffset(fence, 3),
                    event("b").atOffset(fence, 4),
                    event("c").atOffset(fence, 6),
                    event("d").atOffset(fence, 6)),
                (tx, fresh) -> assertThat(fresh).containsExactly(1, 2)))
        .containsExactly(DUPLICATE, APPLIED, APPLIED, DUPLICATE);
    assertThat(database.number("SELECT next_offset FROM onceward_fence")).isEqualTo(7);
  }

  @Test
  void aTopicMadeAnewBeginsAnew() throws Exception {
    FenceScope unknown = new FenceScope("g", "t", null, 0);
    FenceScope first = new FenceScope("g", "t", "id-1", 0);
    inbox.process(event("e").atOffset(inbox.takeFence(unknown), 41), tx -> {});

    assertThat(inbox.takeFence(first).nextOffset()).hasValue(42);
    assertThat(inbox.takeFence(unknown).nextOffset()).hasValue(42);
    assertThat(inbox.takeFence(first).nextOffset()).hasValue(42);
    Fence anew = inbox.takeFence(new FenceScope("g", "t", "id-2", 0));
    assertThat(anew.nextOffset()).isEmpty();
    assertThat(anew.epoch()).isEqualTo(5);
    assertThat(inbox.process(event("e").atOffset(anew, 0), tx -> {})).isEqualTo(APPLIED);
  }

  @Test
  void theSameRecordTwiceAtOnceTakesEffectOnce() throws Exception {
    Fence fence = inbox.takeFence(SCOPE);
    InboxEntry entry = event("e").atOffset(fence, 5);

    assertThat(
            inbox.process(
                entry,
                tx -> {
                  insert(tx, "first", 1);
                  assertThat(inbox.process(entry, charge("second", 1))).isEqualTo(APPLIED);
                }))
        .isEqualTo(DUPLICATE);
    assertThat(accounts()).containsExactly("second");
  }

  @Test
  void aRecordThatIsOvertakenIsReportedNotLostInSilence() throws Exception {
    Fence fence = inbox.takeFence(SCOPE);

    assertThatThrownBy(
            () ->
                inbox.process(
                    event("e").atOffset(fence, 5),
                    tx -> {
                      insert(tx, "slow", 1);
                      inbox.process(event("e").atOffset(fence, 6), charge("fast", 1));
                    }))
        .isInstanceOf(CommitRefusedException.class)
        .hasMessageContaining("offset 6")
        .hasMessageContaining("one after the other");
    assertThat(accounts()).containsExactly("fast");
  }

  private List<String> accounts() throws SQLException {
    return database.texts("SELECT account FROM ledger ORDER BY id");
  }
}
