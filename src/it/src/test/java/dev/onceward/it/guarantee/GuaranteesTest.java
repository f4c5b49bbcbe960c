package dev.onceward.it.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.it.guarantee.DrainWithoutDuplicates.Why;
import dev.onceward.it.guarantee.Published.Fate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Each guarantee sees its breaches, and nothing else. */
class GuaranteesTest {

  private static final TopicPartition PARTITION = new TopicPartition("events", 0);
  private static final Lane LANE = new Lane(PARTITION, "aa");
  private static final Lane OTHER = new Lane(PARTITION, "bb");
  private static final long LONG_AGO = 0;

  private final Observer observer = new Observer();
  private final Published published = new Published();
  private final Map<Long, Long> letters = new HashMap<>();
  private final Set<Long> dropped = new HashSet<>();
  private final Letters dead =
      new Letters() {
        @Override
        public void catchUp() {}

        @Override
        public long writtenAt(TopicPartition partition, long offset) {
          return letters.getOrDefault(offset, Long.MAX_VALUE);
        }
      };

  private final AtLeastOnce atLeastOnce =
      observer.add(new AtLeastOnce(observer.deliveries(), published, dead, this::isThere, true));
  private final PerKeyOrder order =
      observer.add(new PerKeyOrder(observer.deliveries(), published, dead, this::isThere));
  private final NoOverlapOfAKey overlap = observer.add(new NoOverlapOfAKey());
  private final NoCommitPastUnfinished commits =
      observer.add(
          new NoCommitPastUnfinished(observer.deliveries(), published, dead, this::isThere));
  private final BoundedConcurrency concurrency = observer.add(new BoundedConcurrency(1));
  private final DrainWithoutDuplicates drain = observer.add(new DrainWithoutDuplicates(observer));

  private boolean isThere(TopicPartition partition, long offset) {
    return !dropped.contains(offset);
  }

  @Test
  void aRecordThatIsNeitherHandledNorDeadLetteredIsLost() {
    publish(LANE, 0, Fate.HANDLED);
    publish(LANE, 1, Fate.DEAD_LETTERED);
    publish(LANE, 2, Fate.HANDLED);
    publish(LANE, 3, Fate.ABORTED);
    dropped.add(2L);

    assertThat(breaches(atLeastOnce)).isEqualTo(2);
  }

  @Test
  void aRecordThatIsGivenUpAndWouldHaveSucceededIsABreach() {
    publish(LANE, 0, Fate.HANDLED);
    letters.put(0L, LONG_AGO);

    assertThat(breaches(atLeastOnce)).isEqualTo(1);
  }

  @Test
  void redeliveryOfWhatWasFinishedIsInOrder() {
    publishThree();
    run("a", LANE, 0, End.SUCCEEDED);
    run("a", LANE, 1, End.FAILED);
    run("a", LANE, 1, End.SUCCEEDED);
    run("b", LANE, 0, End.SUCCEEDED);
    run("b", LANE, 1, End.SUCCEEDED);
    run("b", LANE, 2, End.SUCCEEDED);

    assertThat(breaches(order)).isZero();
  }

  @Test
  void aRecordThatBeginsBeforeItsPredecessorIsFinishedIsOutOfOrder() {
    publishThree();
    run("a", LANE, 0, End.SUCCEEDED);
    run("a", LANE, 2, End.SUCCEEDED);
    run("a", LANE, 1, End.SUCCEEDED);

    assertThat(breaches(order)).isEqualTo(1);
  }

  @Test
  void aRecordThatBeginsBetweenTheAttemptsAtItsPredecessorIsOutOfOrder() {
    publishThree();
    run("a", LANE, 0, End.FAILED);
    run("a", LANE, 1, End.SUCCEEDED);
    run("b", LANE, 0, End.SUCCEEDED);

    assertThat(breaches(order)).isEqualTo(1);
  }

  @Test
  void aRecordMayFollowOneWhoseDeadLetterIsWrittenAndNoOther() {
    publishThree();
    letters.put(0L, LONG_AGO);
    run("a", LANE, 0, End.FAILED);
    run("a", LANE, 1, End.FAILED);
    run("a", LANE, 2, End.SUCCEEDED);
    letters.put(1L, System.currentTimeMillis() + 60_000);

    assertThat(breaches(order)).isEqualTo(1);
  }

  @Test
  void aPredecessorThatTheBrokerDroppedIsNotWaitedFor() {
    publishThree();
    dropped.add(1L);
    run("a", LANE, 0, End.SUCCEEDED);
    run("a", LANE, 2, End.SUCCEEDED);

    assertThat(breaches(order)).isZero();
  }

  @Test
  void twoRunsOfAKeyOverlapAndTwoKeysDoNot() {
    Run first = begin("a", LANE, 0);
    Run other = begin("b", OTHER, 1);
    assertThat(overlap.overlaps()).isZero();
    Run second = begin("b", LANE, 2);
    observer.ended(first, End.SUCCEEDED);
    observer.ended(other, End.SUCCEEDED);
    observer.ended(second, End.SUCCEEDED);

    assertThat(breaches(overlap)).isEqualTo(1);
  }

  @Test
  void twoAtOnceInOneMemberAreTooManyForAConcurrencyOfOne() {
    Run first = begin("a", LANE, 0);
    Run other = begin("b", OTHER, 1);
    assertThat(concurrency.most()).isEqualTo(1);
    observer.ended(other, End.SUCCEEDED);
    begin("a", OTHER, 2);
    observer.ended(first, End.SUCCEEDED);

    assertThat(breaches(concurrency)).isEqualTo(1);
  }

  @Test
  void aFinishedRecordThatRunsAgainIsExplainedByAKillOrACutAndByNothingElse() {
    run("killed", LANE, 0, End.SUCCEEDED);
    observer.killing("killed");
    run("slow", LANE, 1, End.SUCCEEDED);
    run("slow", OTHER, 2, End.CUT_SHORT);
    run("well", LANE, 3, End.SUCCEEDED);
    for (int offset = 0; offset < 4; offset++) {
      run("next", LANE, offset, End.SUCCEEDED);
    }

    assertThat(drain.duplicates(Why.KILLED)).isEqualTo(1);
    assertThat(drain.duplicates(Why.OUT_OF_BUDGET)).isEqualTo(1);
    assertThat(breaches(drain)).isEqualTo(1);
  }

  @Test
  void aCommitPastWhatIsUnfinishedIsABreachEvenIfItFinishesLater() {
    publishThree();
    publish(LANE, 3, Fate.ABORTED);
    letters.put(1L, LONG_AGO);
    run("a", LANE, 0, End.SUCCEEDED);
    commits.committed(PARTITION, 2);
    commits.committed(PARTITION, 4);
    run("a", LANE, 2, End.SUCCEEDED);

    assertThat(breaches(commits)).isEqualTo(1);
  }

  @Test
  void aCommittedOffsetThatGoesBackIsABreach() {
    publish(LANE, 0, Fate.HANDLED);
    run("a", LANE, 0, End.SUCCEEDED);
    commits.committed(PARTITION, 1);
    commits.committed(PARTITION, 0);

    assertThat(breaches(commits)).isEqualTo(1);
  }

  private void publishThree() {
    for (int offset = 0; offset < 3; offset++) {
      publish(LANE, offset, Fate.HANDLED);
    }
  }

  private void publish(Lane lane, int offset, Fate fate) {
    published.add(lane, offset, fate, plan(offset), false);
  }

  private void run(String member, Lane lane, int offset, End end) {
    observer.ended(begin(member, lane, offset), end);
  }

  private Run begin(String member, Lane lane, int offset) {
    Run run = new Run(member, lane, offset, 1, plan(offset));
    observer.begun(run);
    return run;
  }

  private static Plan plan(int offset) {
    return new Plan(offset, offset, 0, 0, false);
  }

  private static int breaches(Guarantee guarantee) {
    Findings findings = new Findings();
    guarantee.check(findings);
    return findings.of(guarantee);
  }
}
