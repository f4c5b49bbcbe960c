package dev.onceward.consumer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeaseLostException;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandlerLeaseTest {

  private static final Duration MAXIMUM = Duration.ofSeconds(10);
  private static final int ROUNDS = 2_000;

  /** Near the end of its range, so that sums overflow. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

  private final HandlerLease lease = lease(OnExpiry.RETRY);

  @Test
  void itRunsToTheMaximumAndThenIsExpiredButNotLost() {
    assertThat(lease.remaining()).isEqualTo(MAXIMUM);
    pass(MAXIMUM.minusNanos(1));
    assertThat(lease.remaining()).isEqualTo(Duration.ofNanos(1));
    assertThat(lease.isExpired(nanos.get())).isFalse();
    assertThat(lease.expire(nanos.get())).isFalse();
    pass(Duration.ofNanos(1));
    assertThat(lease.isExpired(nanos.get())).isTrue();
    assertThat(lease.isLost()).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(lease.remaining()).isZero();
    lease.check();
    assertThat(lease.expire(nanos.get())).isTrue();
    assertThat(lease.loss()).isEqualTo(LeaseLoss.EXPIRED);
  }

  @Test
  void anExtensionCountsFromNowAndMayPassTheMaximumOrShorten() {
    pass(Duration.ofSeconds(9));
    lease.extend(Duration.ofMinutes(1));
    assertThat(lease.remaining()).isEqualTo(Duration.ofMinutes(1));
    lease.extend(Duration.ofSeconds(1));
    pass(Duration.ofSeconds(1));
    assertThat(lease.isExpired(nanos.get())).isTrue();
    lease.extend(Duration.ofSeconds(5));
    assertThat(lease.expire(nanos.get())).isFalse();
    assertThat(lease.isLost()).isFalse();
  }

  @Test
  void theLongestDurationsAreCutInsteadOfOverflowing() {
    lease.extend(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(lease.remaining()).isEqualTo(Duration.ofDays(36_500));
    assertThat(lease.isExpired(nanos.get())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void anExtensionThatIsNotPositiveIsRefused(long millis) {
    assertThatThrownBy(() -> lease.extend(Duration.ofMillis(millis)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fromNow");
    assertThat(lease.remaining()).isEqualTo(MAXIMUM);
  }

  @Test
  void aKeptLeaseExpiresWithoutBeingLost() {
    HandlerLease kept = lease(OnExpiry.KEEP);
    pass(MAXIMUM);
    assertThat(kept.isExpired(nanos.get())).isTrue();
    assertThat(kept.expire(nanos.get())).isFalse();
    assertThat(kept.beginCommit()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsLostStaysLostAndIsNotCommitted(LeaseLoss reason) {
    assertThat(lease.lose(reason)).isTrue();
    for (LeaseLoss again : LeaseLoss.values()) {
      assertThat(lease.lose(again)).isFalse();
    }
    assertThat(lease.beginCommit()).isFalse();
    lease.endCommit(true);
    lease.end();
    assertThat(lease.isLost()).isTrue();
    assertThat(lease.loss()).isEqualTo(reason);
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::check)
        .isInstanceOfSatisfying(
            LeaseLostException.class, e -> assertThat(e.loss()).isEqualTo(reason));
    assertThatThrownBy(() -> lease.extend(MAXIMUM)).isInstanceOf(LeaseLostException.class);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsBeingCommittedOrIsCommittedCanNotBeLost(LeaseLoss reason) {
    CompletableFuture<LeaseLoss> lost = lease.lost().toCompletableFuture();
    assertThat(lease.beginCommit()).isTrue();
    assertThat(lease.beginCommit()).isFalse();
    assertThat(lease.lose(reason)).isFalse();
    lease.check();
    lease.endCommit(true);
    assertThat(lease.lose(reason)).isFalse();
    lease.end();
    assertThat(lease.isLost()).isFalse();
    assertThat(lease.loss()).isNull();
    assertThat(lost).isNotDone();
  }

  @Test
  void aRevocationDuringACommitTakesEffectWhenTheCommitFails() {
    CompletableFuture<LeaseLoss> lost = lease.lost().toCompletableFuture();
    lease.beginCommit();
    lease.lose(LeaseLoss.REVOKED);
    assertThat(lease.loss()).isNull();
    lease.endCommit(false);
    assertThat(lease.loss()).isEqualTo(LeaseLoss.REVOKED);
    assertThat(lost).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(LeaseLoss.REVOKED);
  }

  @Test
  void anEffectThatIsToRunAgainIsRefusedWhenTheLeaseWasRevokedMeanwhile() {
    lease.beginEffect();
    lease.beginCommit();
    lease.beginEffect();
    lease.beginCommit();
    lease.endCommit(true);
    lease.beginEffect();
    lease.beginCommit();
    lease.lose(LeaseLoss.REVOKED);
    lease.endCommit(true);
    assertThat(lease.isLost()).isFalse();
    assertThatThrownBy(lease::beginEffect).isInstanceOf(LeaseLostException.class);
    assertThat(lease.loss()).isEqualTo(LeaseLoss.REVOKED);
  }

  @Test
  void anExpiryDuringACommitLeavesTheLeaseToBeLostLater() {
    lease.beginCommit();
    pass(MAXIMUM);
    assertThat(lease.expire(nanos.get())).isFalse();
    lease.endCommit(false);
    assertThat(lease.isLost()).isFalse();
    assertThat(lease.expire(nanos.get())).isTrue();
  }

  @Test
  void anEndedLeaseIsNeitherLostNorExtendedNorCommitted() {
    lease.end();
    assertThat(lease.lose(LeaseLoss.REVOKED)).isFalse();
    assertThat(lease.beginCommit()).isFalse();
    assertThat(lease.refusal())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("orders-3@42")
        .hasMessageContaining("ended");
    assertThatThrownBy(() -> lease.extend(MAXIMUM)).isInstanceOf(IllegalStateException.class);
    assertThat(lease.remaining()).isZero();
    assertThat(lease.isLost()).isFalse();
    lease.check();
  }

  @Test
  void usersCanNotCompleteTheLoss() {
    CompletableFuture<LeaseLoss> copy = lease.lost().toCompletableFuture();
    copy.complete(LeaseLoss.EXPIRED);
    CompletableFuture<LeaseLoss> other = lease.lost().toCompletableFuture();
    assertThat(other).isNotDone();
    assertThat(lease.isLost()).isFalse();
    lease.lose(LeaseLoss.REVOKED);
    assertThat(other).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(LeaseLoss.REVOKED);
  }

  @Test
  void theLossIsThereAtOnceForWhoAsksLater() {
    lease.lose(LeaseLoss.EXPIRED);
    assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLoss.EXPIRED);
  }

  @Test
  void callbacksDoNotHoldUpTheThreadThatLosesTheLease() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicReference<Thread> runner = new AtomicReference<>();
    CompletableFuture<Void> done =
        lease
            .lost()
            .thenAccept(
                loss -> {
                  runner.set(Thread.currentThread());
                  awaitUninterrupted(release);
                })
            .toCompletableFuture();
    assertThat(lease.lose(LeaseLoss.REVOKED)).isTrue();
    // we are here although the callback waits for us
    assertThat(done).isNotDone();
    release.countDown();
    done.get(1, TimeUnit.MINUTES);
    assertThat(runner.get()).isNotNull().isNotSameAs(Thread.currentThread());
  }

  @Test
  void theFailureOfALostLeaseIsItsLossWithWhatWasThrownAsTheCause() {
    InterruptedException interrupted = new InterruptedException();
    assertThat(lease.failureOf(interrupted)).isSameAs(interrupted);
    lease.lose(LeaseLoss.EXPIRED);
    assertThat(lease.failureOf(interrupted))
        .isInstanceOfSatisfying(
            LeaseLostException.class, e -> assertThat(e.loss()).isEqualTo(LeaseLoss.EXPIRED))
        .hasCause(interrupted);
    RuntimeException own = lease.refusal();
    assertThat(lease.failureOf(own)).isSameAs(own);
  }

  @ParameterizedTest
  @EnumSource
  void messagesNameThePlaceInOneLineWithoutKeyAndPayload(LeaseLoss reason) {
    lease.lose(reason);
    for (String text : List.of(String.valueOf(lease.refusal().getMessage()), lease.toString())) {
      assertThat(text).contains("orders-3@42").doesNotContain("secret").doesNotContain("\n");
    }
  }

  @Test
  void ofThreadsThatLoseCommitAndEndExactlyOneWins() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        HandlerLease raced = lease(OnExpiry.RETRY);
        CompletableFuture<LeaseLoss> lost = raced.lost().toCompletableFuture();
        List<Boolean> won =
            atOnce(
                threads,
                List.of(
                    () -> raced.lose(LeaseLoss.EXPIRED),
                    () -> raced.lose(LeaseLoss.REVOKED),
                    raced::beginCommit,
                    raced::beginCommit,
                    () -> {
                      raced.end();
                      return false;
                    },
                    () -> raced.lose(LeaseLoss.REVOKED)));
        boolean lose = won.get(0) || won.get(1) || won.get(5);
        boolean commit = won.get(2) || won.get(3);
        assertThat(won.stream().filter(winner -> winner).count())
            .as("round %s: %s", round, won)
            .isLessThanOrEqualTo(1);
        assertThat(raced.isLost()).isEqualTo(lose);
        if (lose) {
          assertThat(lost)
              .succeedsWithin(Duration.ofMinutes(1))
              .isEqualTo(won.get(0) ? LeaseLoss.EXPIRED : LeaseLoss.REVOKED);
        } else {
          assertThat(lost).isNotDone();
        }
        if (!lose && !commit) {
          assertThat(raced.refusal()).isInstanceOf(IllegalStateException.class);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aCommitThatRacesALossIsEitherRefusedOrCompleted() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        HandlerLease raced = lease(OnExpiry.RETRY);
        List<Boolean> won =
            atOnce(
                threads,
                List.of(
                    () -> raced.lose(LeaseLoss.REVOKED),
                    () -> {
                      // a repeated transaction: rolled back, and then committed
                      boolean first = raced.beginCommit();
                      raced.endCommit(false);
                      boolean committed = raced.beginCommit();
                      assertThat(committed && (raced.isLost() || !first)).isFalse();
                      raced.endCommit(committed);
                      raced.end();
                      return committed;
                    }));
        boolean committed = won.get(1);
        assertThat(raced.isLost()).as("round %s", round).isEqualTo(!committed);
        if (committed) {
          assertThat(won.get(0)).isFalse();
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anExtensionThatReturnedIsHonouredByAnExpiryThatRacesIt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        HandlerLease raced = lease(OnExpiry.RETRY);
        pass(MAXIMUM);
        long now = nanos.get();
        List<Boolean> won =
            atOnce(
                threads,
                List.of(
                    () -> raced.expire(now),
                    () -> {
                      try {
                        raced.extend(MAXIMUM);
                        return true;
                      } catch (LeaseLostException e) {
                        return false;
                      }
                    }));
        assertThat(won.get(0)).as("round %s", round).isNotEqualTo(won.get(1));
        assertThat(raced.isLost()).isEqualTo(won.get(0));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Boolean> atOnce(ExecutorService threads, List<Callable<Boolean>> tasks)
      throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(tasks.size());
    List<Future<Boolean>> futures = new ArrayList<>();
    for (Callable<Boolean> task : tasks) {
      futures.add(
          threads.submit(
              () -> {
                barrier.await(1, TimeUnit.MINUTES);
                return task.call();
              }));
    }
    List<Boolean> results = new ArrayList<>();
    for (Future<Boolean> future : futures) {
      results.add(future.get(1, TimeUnit.MINUTES));
    }
    return results;
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    await().atMost(Duration.ofMinutes(1)).until(() -> latch.getCount() == 0);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private HandlerLease lease(OnExpiry onExpiry) {
    byte[] secret = "secret".getBytes(StandardCharsets.UTF_8);
    return new HandlerLease(
        new ConsumerRecord<>("orders", 3, 42L, secret, secret),
        LeasePolicy.builder().maximum(MAXIMUM).onExpiry(onExpiry).build(),
        nanos::get);
  }
}
