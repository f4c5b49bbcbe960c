package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Work.Wait;
import dev.onceward.consumer.internal.offsets.CommitNote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LanesTest {

  private final Partition partition = Records.partition(0);

  @Test
  void oneKeyRunsOneAtATimeInOffsetOrder() {
    Lanes lanes = lanes(10);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b")));
    Work first = take(lanes);
    Work other = take(lanes);
    assertThat(List.of(first.offset(), other.offset())).containsExactly(0L, 2L);
    assertThat(lanes.take()).isNull();
    Work second = lanes.finish(first);
    assertThat(second).isNotNull();
    assertThat(second.offset()).isEqualTo(1);
  }

  @Test
  void noMoreThanThePermittedNumberRunsAtOnce() {
    Lanes lanes = lanes(2);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "b"), work(2, "c")));
    Work first = take(lanes);
    take(lanes);
    assertThat(lanes.take()).isNull();
    assertThat(lanes.finish(first)).isNotNull();
    assertThat(lanes.take()).isNull();
  }

  @Test
  void parkedWorkKeepsItsKeyAndFreesItsPermit() {
    Lanes lanes = lanes(1);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b")));
    Work failing = take(lanes);
    Work other = lanes.park(failing, Wait.RETRY);
    assertThat(other).isNotNull();
    assertThat(other.offset()).isEqualTo(2);
    lanes.resume(failing);
    assertThat(lanes.finish(other)).isSameAs(failing);
    Work next = lanes.finish(failing);
    assertThat(next).isNotNull();
    assertThat(next.offset()).isEqualTo(1);
  }

  @Test
  void parkedWorkThatIsDoneLetsItsKeyGoOn() {
    Lanes lanes = lanes(4);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a")));
    Work deadLettered = take(lanes);
    assertThat(lanes.park(deadLettered, Wait.DEAD_LETTER)).isNull();
    lanes.finishParked(deadLettered, true);
    assertThat(take(lanes).offset()).isEqualTo(1);
  }

  @Test
  void aPartitionWithLittleRunningGoesBeforeOneWithMuch() {
    Lanes lanes = lanes(3);
    Partition slow = Records.partition(1);
    lanes.offer(
        slow,
        List.of(
            Records.work(slow, 0, "a"),
            Records.work(slow, 1, "b"),
            Records.work(slow, 2, "c"),
            Records.work(slow, 3, "d")));
    take(lanes);
    Work running = take(lanes);
    take(lanes);
    lanes.offer(partition, List.of(work(0, "x")));
    Work next = lanes.finish(running);
    assertThat(next).isNotNull();
    assertThat(next.partition()).isSameAs(partition);
  }

  @Test
  void recordsWithoutAKeyKeepTheOrderOfTheirPartition() {
    Lanes lanes = lanes(4);
    lanes.offer(partition, List.of(work(0, null), work(1, null), work(2, "")));
    Work first = take(lanes);
    assertThat(take(lanes).offset()).isEqualTo(2);
    assertThat(lanes.take()).isNull();
    Work second = lanes.finish(first);
    assertThat(second).isNotNull();
    assertThat(second.offset()).isEqualTo(1);
  }

  @Test
  void unorderedRecordsWithoutAKeyRunInParallel() {
    Lanes lanes = new Lanes(4, KeylessRecords.UNORDERED);
    lanes.offer(partition, List.of(work(0, null), work(1, null)));
    take(lanes);
    assertThat(take(lanes).offset()).isEqualTo(1);
  }

  @Test
  void theSameKeyInTwoPartitionsIsTwoLanes() {
    Lanes lanes = lanes(4);
    Partition other = Records.partition(1);
    lanes.offer(partition, List.of(work(0, "a")));
    lanes.offer(other, List.of(Records.work(other, 0, "a")));
    take(lanes);
    take(lanes);
  }

  @Test
  void aPartitionThatIsGivenUpStartsNothingMore() {
    Lanes lanes = lanes(2);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b"), work(3, "c")));
    Work a = take(lanes);
    Work b = take(lanes);
    lanes.startNoMore(List.of(partition));
    assertThat(lanes.finish(b)).isNull();
    assertThat(lanes.isIdle(partition)).isFalse();
    assertThat(lanes.finish(a)).isNull();
    assertThat(lanes.isIdle(partition)).isTrue();
  }

  @Test
  void afterCloseNothingOfThePartitionStartsAndPermitsComeBack() {
    Lanes lanes = lanes(1);
    Partition kept = Records.partition(1);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b")));
    Work running = take(lanes);
    lanes.offer(kept, List.of(Records.work(kept, 0, "x")));
    lanes.close(partition);
    lanes.resume(running);
    Work next = lanes.finish(running);
    assertThat(next).isNotNull();
    assertThat(next.partition()).isSameAs(kept);
    assertThat(lanes.finish(next)).isNull();
  }

  @Test
  void aDeadLetterUnderWayIsWaitedForAndARetryIsNot() {
    Lanes lanes = lanes(2);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "b")));
    Work failing = take(lanes);
    Work hopeless = take(lanes);
    lanes.park(failing, Wait.RETRY);
    assertThat(lanes.isIdle(partition)).isFalse();
    lanes.park(hopeless, Wait.DEAD_LETTER);
    assertThat(lanes.isIdle(partition)).isFalse();
    lanes.finishParked(hopeless, true);
    assertThat(lanes.isIdle(partition)).isTrue();
  }

  @Test
  void beforeTheFirstCommitOfAnOwnershipNothingStarts() {
    Lanes lanes = lanes(2);
    Partition assigned = Records.assigned(1, CommitNote.NONE, 0);
    lanes.offer(assigned, List.of(Records.work(assigned, 0, "a")));
    assertThat(lanes.take()).isNull();
    lanes.open(assigned);
    assertThat(take(lanes).offset()).isZero();
  }

  @Test
  void aHandlerThatOutlivesItsOwnershipKeepsItsKeyFromTheNextOne() {
    Lanes lanes = lanes(4);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "b")));
    Work deaf = take(lanes);
    Work other = take(lanes);
    lanes.close(partition);
    lanes.finish(other);

    Partition again = Records.partition(0);
    lanes.offer(again, List.of(Records.work(again, 0, "a"), Records.work(again, 1, "b")));
    assertThat(take(lanes).offset()).isEqualTo(1);
    assertThat(lanes.take()).isNull();
    Work next = lanes.finish(deaf);
    assertThat(next).isNotNull();
    assertThat(next.partition()).isSameAs(again);
    assertThat(next.offset()).isZero();
  }

  @Test
  void theRecordBehindOneThatWasGivenUpKnowsIt() {
    Lanes lanes = lanes(4);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "a")));
    Work first = take(lanes);
    assertThat(lanes.followsGivenUp(first)).isFalse();
    lanes.park(first, Wait.DEAD_LETTER);
    lanes.finishParked(first, true);
    Work second = take(lanes);
    assertThat(lanes.followsGivenUp(second)).isTrue();
    Work third = lanes.finish(second);
    assertThat(third).isNotNull();
    assertThat(lanes.followsGivenUp(third)).isFalse();
  }

  @Property(tries = 200)
  void anyScheduleRunsEveryRecordOnceInKeyOrderWithinThePermits(
      @ForAll @IntRange(min = 1, max = 8) int permits,
      @ForAll @IntRange(min = 1, max = 100) int records,
      @ForAll @IntRange(min = 1, max = 10) int keys,
      @ForAll Random random) {
    Lanes lanes = lanes(permits);
    Partition owned = Records.partition(3);
    List<Work> running = new ArrayList<>();
    List<Work> parked = new ArrayList<>();
    Map<Work, String> keyOf = new HashMap<>();
    Map<String, Long> lastOffset = new HashMap<>();
    int done = 0;
    long offered = 0;
    while (done < records) {
      if (offered < records && random.nextInt(3) > 0) {
        String key = "k" + random.nextInt(keys);
        Work work = Records.work(owned, offered++, key);
        keyOf.put(work, key);
        lanes.offer(owned, List.of(work));
      }
      Work taken = lanes.take();
      while (taken != null) {
        running.add(taken);
        taken = lanes.take();
      }
      assertThat(running.size()).isLessThanOrEqualTo(permits);
      Work next = null;
      if (!running.isEmpty() && random.nextBoolean()) {
        Work work = running.remove(random.nextInt(running.size()));
        if (random.nextInt(4) == 0) {
          parked.add(work);
          next = lanes.park(work, Wait.RETRY);
        } else {
          String key = keyOf.get(work);
          Long before = lastOffset.put(key, work.offset());
          assertThat(before == null || before < work.offset()).isTrue();
          done++;
          next = lanes.finish(work);
        }
      } else if (!parked.isEmpty()) {
        lanes.resume(parked.remove(random.nextInt(parked.size())));
      }
      if (next != null) {
        running.add(next);
      }
    }
    assertThat(lanes.take()).isNull();
    assertThat(owned.lanes).isEmpty();
  }

  @Test
  void manyThreadsNeverOverlapAKeyNorExceedThePermits() throws Exception {
    int permits = 6;
    int total = 20_000;
    Lanes lanes = lanes(permits);
    Set<String> busyKeys = ConcurrentHashMap.newKeySet();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger worst = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(total);
    ExecutorService executor = Executors.newFixedThreadPool(permits);
    try {
      for (int i = 0; i < total; i++) {
        String key = "k" + (i % 37);
        lanes.offer(partition, List.of(work(i, key)));
        Work taken = lanes.take();
        if (taken != null) {
          Work first = taken;
          executor.execute(
              () -> {
                Work work = first;
                while (work != null) {
                  String busy = "k" + (work.offset() % 37);
                  if (!busyKeys.add(busy)) {
                    overlaps.incrementAndGet();
                  }
                  worst.accumulateAndGet(running.incrementAndGet(), Math::max);
                  running.decrementAndGet();
                  busyKeys.remove(busy);
                  done.countDown();
                  work = lanes.finish(work);
                }
              });
        }
      }
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      executor.shutdownNow();
    }
    assertThat(overlaps).hasValue(0);
    assertThat(worst.get()).isLessThanOrEqualTo(permits);
  }

  @Test
  void workThatNoThreadTookWhileItsPartitionWentDoesNotHoldItsKeyForEver() {
    Lanes lanes = lanes(2);
    lanes.offer(partition, List.of(work(0, "a")));
    Work rejected = take(lanes);
    lanes.close(partition);
    lanes.putBack(rejected);

    Partition back = Records.partition(0);
    Work again = Records.work(back, 0, "a");
    lanes.offer(back, List.of(again));
    assertThat(lanes.take()).isSameAs(again);
  }

  @Test
  void aDeafHandlerOfARecordWithoutAKeyIsAloneWithItsRecordAndHoldsNoOther() {
    Lanes lanes = new Lanes(4, KeylessRecords.UNORDERED);
    lanes.offer(partition, List.of(work(0, null), work(1, null)));
    Work deaf = take(lanes);
    assertThat(deaf.offset()).isZero();
    lanes.close(partition);
    Partition back = Records.partition(0);
    Work same = Records.work(back, 0, null);
    Work other = Records.work(back, 1, null);
    lanes.offer(back, List.of(same, other));

    assertThat(lanes.take()).isSameAs(other);
    assertThat(lanes.take()).isNull();
    assertThat(lanes.gate(same)).isEqualTo(Gate.KEY);
    assertThat(lanes.finish(deaf)).isSameAs(same);
  }

  @Test
  void aRecordBehindADeafHandlerWhoseEventWasDeadLetteredWaitsForItsKey() {
    Lanes lanes = lanes(4);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a")));
    Work deaf = take(lanes);
    Work next = deaf.next;
    assertThat(next).isNotNull();
    assertThat(lanes.gate(deaf)).isEqualTo(Gate.HANDLER);
    assertThat(lanes.gate(next)).isEqualTo(Gate.KEY);
  }

  private static Lanes lanes(int permits) {
    return new Lanes(permits, KeylessRecords.IN_PARTITION_ORDER);
  }

  private Work work(long offset, @Nullable String key) {
    return Records.work(partition, offset, key);
  }

  private static Work take(Lanes lanes) {
    Work work = lanes.take();
    assertThat(work).isNotNull();
    return work;
  }
}
