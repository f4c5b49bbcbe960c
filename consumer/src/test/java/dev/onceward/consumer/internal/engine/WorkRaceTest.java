package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.internal.HandlerLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Work that its handler, the poll thread and the sender of dead letters touch at once. */
class WorkRaceTest {

  private static final int ROUNDS = 3_000;
  private static final LeasePolicy POLICY =
      LeasePolicy.builder().maximum(Duration.ofSeconds(1)).build();

  private final ExecutorService threads = Executors.newFixedThreadPool(3);

  @AfterEach
  void close() {
    threads.shutdownNow();
  }

  @Test
  void noInterruptHitsAThreadThatHasEndedItsWork() throws Exception {
    int interrupted = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Work work = work();
      AtomicInteger loss = new AtomicInteger();
      boolean cancels = round % 2 == 0;
      List<Boolean> results =
          atOnce(
              () -> {
                boolean begun = work.begin(new HandlerLease(work.record(), POLICY, () -> 0L));
                Thread.onSpinWait();
                work.end();
                // as the worker does before it takes the next one
                boolean hit = Thread.interrupted();
                for (int i = 0; i < 50; i++) {
                  assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
                return hit && begun;
              },
              () -> {
                if (cancels) {
                  work.cancel();
                  return work.cancelled();
                }
                boolean expired = work.expire(Duration.ofSeconds(2).toNanos());
                loss.addAndGet(expired ? 1 : 0);
                return expired;
              });
      interrupted += results.get(0) ? 1 : 0;
      assertThat(work.isRunning()).isFalse();
      assertThat(work.expire(Long.MAX_VALUE / 4)).isFalse();
      if (!cancels) {
        assertThat(results.get(0))
            .as("who takes the lease away interrupts")
            .isEqualTo(loss.get() == 1);
      }
    }
    assertThat(interrupted).isLessThan(ROUNDS);
  }

  @Test
  void afterACancelNothingBegins() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Work work = work();
      List<Boolean> results =
          atOnce(
              () -> {
                boolean begun = work.begin(new HandlerLease(work.record(), POLICY, () -> 0L));
                if (begun) {
                  // the interrupt has come or comes, for nobody ends before
                  long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
                  while (!Thread.interrupted() && System.nanoTime() - deadline < 0) {
                    Thread.onSpinWait();
                  }
                  boolean inTime = System.nanoTime() - deadline < 0;
                  work.end();
                  return inTime;
                }
                return work.cancelled();
              },
              () -> {
                work.cancel();
                return true;
              });
      assertThat(results).containsOnly(true);
      assertThat(work.begin(new HandlerLease(work.record(), POLICY, () -> 0L))).isFalse();
    }
  }

  @Test
  void ofTheHandlerAndTheDeadLetterExactlyTheLastOneLetsTheKeyGoOn() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Work work = work();
      CyclicBarrier begun = new CyclicBarrier(2);
      CyclicBarrier givenUp = new CyclicBarrier(2);
      List<Boolean> results =
          atOnce(
              () -> {
                work.begin(new HandlerLease(work.record(), POLICY, () -> 0L));
                begun.await(30, TimeUnit.SECONDS);
                givenUp.await(30, TimeUnit.SECONDS);
                work.end();
                assertThat(work.isGivenUpInFlight()).isTrue();
                return work.handlerLetGo();
              },
              () -> {
                begun.await(30, TimeUnit.SECONDS);
                assertThat(work.giveUpInFlight()).isTrue();
                givenUp.await(30, TimeUnit.SECONDS);
                return work.letterAcknowledged();
              });
      assertThat(results).containsOnlyOnce(true);
      assertThat(work.giveUpInFlight()).as("once").isFalse();
    }
  }

  @Test
  void whatIsGivenUpInFlightIsSoForTheHandlerThatReturnsMeanwhile() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Work work = work();
      List<Boolean> results =
          atOnce(
              () -> {
                work.begin(new HandlerLease(work.record(), POLICY, () -> 0L));
                Thread.onSpinWait();
                work.end();
                return work.isGivenUpInFlight();
              },
              work::giveUpInFlight);
      assertThat(results.get(0)).as("both know, or neither").isEqualTo(results.get(1));
    }
  }

  @Test
  void completionsReachThePollThreadOnceEach() throws Exception {
    int each = 20_000;
    Completions completions = new Completions();
    Partition partition = Records.partition(0);
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 2 * each; i++) {
      works.add(Records.work(partition, i, "k"));
      partition.progress().add(works.get(i));
    }
    List<Boolean> results =
        atOnce(
            () -> {
              works.subList(0, each).forEach(completions::add);
              return true;
            },
            () -> {
              works.subList(each, 2 * each).forEach(completions::add);
              return true;
            },
            () -> {
              int seen = 0;
              long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
              AtomicInteger count = new AtomicInteger();
              while (seen < 2 * each && System.nanoTime() - deadline < 0) {
                completions.drainTo(
                    work -> {
                      count.incrementAndGet();
                      partition.progress().done(work);
                    });
                seen = count.get();
              }
              return seen == 2 * each;
            });
    assertThat(results).containsOnly(true);
    assertThat(partition.progress().unfinished()).isZero();
  }

  private static Work work() {
    return Records.work(Records.partition(0), 0, "k");
  }

  @SafeVarargs
  private List<Boolean> atOnce(Callable<Boolean>... actions) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(actions.length);
    List<Future<Boolean>> running = new ArrayList<>();
    for (Callable<Boolean> action : actions) {
      running.add(
          threads.submit(
              () -> {
                barrier.await(30, TimeUnit.SECONDS);
                return action.call();
              }));
    }
    List<Boolean> results = new ArrayList<>();
    for (Future<Boolean> result : running) {
      results.add(result.get(60, TimeUnit.SECONDS));
    }
    return results;
  }
}
