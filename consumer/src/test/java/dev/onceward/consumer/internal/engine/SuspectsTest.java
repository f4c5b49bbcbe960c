package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.engine.Work.Wait;
import dev.onceward.consumer.internal.offsets.Deaths;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How records that were at work in a crash get their turn. */
class SuspectsTest {

  private static final int MAX_CRASHES = 3;

  private final AtomicLong nanos = new AtomicLong(System.nanoTime());
  private final Lanes lanes = new Lanes(4, KeylessRecords.IN_PARTITION_ORDER, Set.of(), nanos::get);
  private final Suspects suspects = new Suspects(lanes, MAX_CRASHES, nanos::get);
  private final Partition partition = Records.partition(0);

  @Test
  void aSuspectStartsOnlyWhenACommitHasNamedItAndNothingElseRuns() {
    Work other = offer(0, "a", Suspicion.NONE);
    assertThat(lanes.take()).isSameAs(other);
    Work suspect = offer(1, "b", Suspicion.ACCUSED);
    offer(2, "c", Suspicion.NONE);

    assertThat(suspects.step()).as("something runs").isFalse();
    assertThat(suspects.alone()).isNull();
    assertThat(lanes.take()).as("nothing new starts").isNull();

    assertThat(lanes.finish(other)).isNull();
    assertThat(suspects.step()).isTrue();
    assertThat(suspects.alone()).isSameAs(suspect);
    assertThat(lanes.take()).as("not named yet").isNull();

    suspects.committed(suspect);
    assertThat(lanes.take()).isSameAs(suspect);
    assertThat(lanes.take()).as("alone").isNull();
  }

  @Test
  void afterASuspectNothingStartsUntilACommitSaysThatItIsOver() {
    Work suspect = offer(0, "a", Suspicion.ACCUSED);
    Work other = offer(1, "b", Suspicion.NONE);
    isolate(suspect);

    assertThat(lanes.finish(suspect)).isNull();
    assertThat(suspects.step()).isTrue();
    assertThat(suspects.alone()).isNull();
    assertThat(lanes.take()).isNull();

    suspects.committed(null);
    assertThat(lanes.take()).isSameAs(other);
    assertThat(suspects.step()).isFalse();
  }

  @Test
  void oneSuspectFollowsTheOtherWithOneCommitEach() {
    Work first = offer(0, "a", Suspicion.ACCUSED);
    Work second = offer(1, "b", Suspicion.ACCUSED);
    isolate(first);
    lanes.finish(first);

    assertThat(suspects.step()).isTrue();
    assertThat(suspects.alone()).isSameAs(second);
    suspects.committed(second);
    assertThat(lanes.take()).isSameAs(second);
  }

  @Test
  void aSlowSuspectThatWasLetGoOnHoldsNothingUpWhileOtherSuspectsWait() {
    Work slow = offer(0, "a", Suspicion.ACCUSED);
    offer(1, "b", Suspicion.ACCUSED);
    Work healthy = offer(2, "c", Suspicion.NONE);
    isolate(slow);

    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(suspects.step()).as("its second is over").isTrue();
    suspects.committed(null);
    suspects.step(); // slow still runs: the next suspect must not make all wait for it again

    assertThat(lanes.take()).isSameAs(healthy);
  }

  @Test
  void aSuspectThatHasFailedIsNoSuspectAnyMore() {
    Work suspect = offer(0, "a", Suspicion.ACCUSED);
    isolate(suspect);
    lanes.park(suspect, Wait.RETRY);
    suspects.step();
    suspects.committed(null);

    lanes.resume(suspect);
    assertThat(suspects.step()).isFalse();
    assertThat(lanes.take()).isSameAs(suspect);
  }

  @Test
  void aPartitionThatGoesLetsTheOthersGoOn() {
    offer(0, "a", Suspicion.ACCUSED);
    suspects.step();
    Partition kept = Records.partition(1);
    Work other = Records.work(kept, 0, "x");
    lanes.offer(kept, List.of(other));
    assertThat(lanes.take()).isNull();

    lanes.close(partition);
    assertThat(suspects.step()).isFalse();
    assertThat(suspects.alone()).isNull();
    assertThat(lanes.take()).isSameAs(other);
  }

  @Test
  void aSuspectThatRunsWhileItsPartitionGoesHoldsNobodyUpAfterwards() {
    Work suspect = offer(0, "a", Suspicion.ACCUSED);
    isolate(suspect);
    lanes.close(partition);
    Partition kept = Records.partition(1);
    Work other = Records.work(kept, 0, "x");
    lanes.offer(kept, List.of(other));
    suspects.step();
    assertThat(lanes.take()).isNull();

    assertThat(lanes.finish(suspect)).isSameAs(other);
  }

  @Test
  void aSuspectThatNoThreadHasComeToIsNamedStillWhenOthersStart() {
    Work suspect = offer(0, "a", Suspicion.ACCUSED);
    isolate(suspect);
    assertThat(suspects.step(System.nanoTime() + Duration.ofSeconds(2).toNanos())).isTrue();
    assertThat(suspects.alone()).isNull();
    assertThat(suspect.isAtWork()).as("it may start at any time").isTrue();
  }

  @Test
  void aWatchedRecordStartsOnceACommitHasNamedIt() {
    Work watched = offer(0, "a", Suspicion.WATCHED);
    Work follower = offer(1, "a", Suspicion.WATCHED);
    assertThat(lanes.take()).isNull();
    assertThat(lanes.unmarked(partition, 10)).containsExactly(watched);

    lanes.acquit(List.of(watched, follower));
    assertThat(lanes.hasUnmarked(partition)).isFalse();
    assertThat(lanes.take()).isSameAs(watched);
    assertThat(lanes.finish(watched)).isSameAs(follower);
  }

  @Test
  void aSuspectThatNoThreadTookDoesNotStartOnceItsPartitionIsDrained() {
    Work suspect = offer(0, "a", Suspicion.ACCUSED);
    isolate(suspect);
    lanes.startNoMore(List.of(partition));
    lanes.putBack(suspect);
    Partition kept = Records.partition(1);
    Work other = Records.work(kept, 0, "x");
    lanes.offer(kept, List.of(other));

    suspects.step();
    assertThat(lanes.take()).isSameAs(other);
    assertThat(lanes.take()).isNull();
  }

  // a killer beside handlers that are always long would never be found out
  @Test
  void aSuspectOfManyCrashesIsWaitedForUntilWhatRunsHasEnded() {
    Work other = offer(0, "a", Suspicion.NONE);
    assertThat(lanes.take()).isSameAs(other);
    Work suspect = offer(1, "b", MAX_CRASHES + 1);
    offer(2, "c", Suspicion.NONE);
    suspects.step();

    nanos.addAndGet(Duration.ofSeconds(50).toNanos());
    suspects.step();
    assertThat(lanes.take()).isNull();

    lanes.finish(other);
    isolate(suspect);
  }

  @Test
  void aSuspectOfManyCrashesRunsAmongOthersWhenTheyDoNotEndAtAll() {
    Work stuck = offer(0, "a", Suspicion.NONE);
    assertThat(lanes.take()).isSameAs(stuck);
    offer(1, "b", MAX_CRASHES + 1);
    Work healthy = offer(2, "c", Suspicion.NONE);
    suspects.step();

    nanos.addAndGet(Duration.ofSeconds(61).toNanos());
    suspects.step();
    assertThat(lanes.take()).isSameAs(healthy);
  }

  @Test
  void aSuspectOfManyCrashesHoldsNobodyUpOnceItsLeaseHasRunOut() {
    Work suspect = offer(0, "a", MAX_CRASHES + 1);
    AtomicLong now = new AtomicLong(System.nanoTime());
    isolate(suspect);
    LeasePolicy policy = LeasePolicy.builder().maximum(Duration.ofMinutes(1)).build();
    suspect.begin(new HandlerLease(suspect.record(), policy, now::get));
    Work other = offer(1, "b", Suspicion.NONE);
    assertThat(suspects.step(now.addAndGet(Duration.ofSeconds(59).toNanos()))).isFalse();

    assertThat(suspects.step(now.addAndGet(Duration.ofSeconds(30).toNanos()))).isTrue();
    suspects.committed(null);
    assertThat(lanes.take()).isSameAs(other);
  }

  @Test
  void aSuspectOfManyCrashesThatIsDeafHoldsNobodyUpOnceItsPartitionHasGone() {
    Work suspect = offer(0, "a", MAX_CRASHES + 1);
    isolate(suspect);
    Partition kept = Records.partition(1);
    Work other = Records.work(kept, 0, "x");
    lanes.offer(kept, List.of(other));
    lanes.close(partition);
    suspect.cancel();
    assertThat(suspects.step(System.nanoTime() + Duration.ofSeconds(30).toNanos())).isTrue();

    suspects.committed(null);
    assertThat(lanes.take()).isSameAs(other);
  }

  private void isolate(Work suspect) {
    assertThat(suspects.step()).isTrue();
    suspects.committed(suspect);
    assertThat(lanes.take()).isSameAs(suspect);
    assertThat(suspects.step()).isFalse();
  }

  private Work offer(long offset, String key, Suspicion suspicion) {
    return offer(offset, key, suspicion, suspicion == Suspicion.ACCUSED ? 1 : 0);
  }

  private Work offer(long offset, String key, int crashes) {
    return offer(offset, key, Suspicion.ACCUSED, crashes);
  }

  private Work offer(long offset, String key, Suspicion suspicion, int crashes) {
    Work work =
        new Work(
            partition,
            Records.record(partition, offset, key),
            0,
            new Deaths(crashes, 2 * crashes, 0),
            suspicion,
            false);
    lanes.offer(partition, List.of(work));
    return work;
  }
}
