package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.Deaths;
import dev.onceward.consumer.internal.offsets.NoteCodec;
import dev.onceward.consumer.internal.offsets.NoteContent;
import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an ownership makes of what the last one has left. Records are of leader epoch 7. */
class PartitionTest {

  private static final int MAX_CRASHES = 3;
  private static final NoteCodec CODEC = new NoteCodec(4096);

  @Test
  void whatTheLastOwnerHasDoneIsDone() {
    Partition partition = partition(note(false, false, 7));
    assertThat(partition.isDone(Records.record(partition, 11, "k"))).isTrue();
    assertThat(partition.isDone(Records.record(partition, 10, "k"))).isFalse();
    assertThat(partition.isDone(Records.record(partition, 15, "k"))).isFalse();
  }

  @Test
  void recordsWrittenAfterTheLogWasCutOffAreOthers() {
    Partition partition =
        partition(
            note(
                true,
                false,
                6,
                new Entry(10, 2, new Deaths(1, 2, 0), true),
                new Entry(13, 0, new Deaths(2, 4, 0), false)));
    assertThat(partition.isDone(Records.record(partition, 11, "k"))).isFalse();
    Work work = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(work.attempt()).isEqualTo(1);
    assertThat(work.crashes()).isZero();
  }

  @Test
  void failedAttemptsCountOn() {
    Partition partition = partition(note(false, false, 7, new Entry(10, 2, Deaths.NONE, false)));
    Work work = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(work.failedAttempts()).isEqualTo(2);
    assertThat(work.attempt()).isEqualTo(3);
    assertThat(work.suspicion).isEqualTo(Suspicion.NONE);
  }

  @Test
  void afterAGoodEndNothingIsSuspicious() {
    Partition partition = partition(note(false, false, 7));
    assertThat(partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES).suspicion)
        .isEqualTo(Suspicion.NONE);
  }

  @Test
  void afterADeathWhatWasAtWorkIsWatchedAndAsManyAsMayHaveBeen() {
    Partition partition = partition(note(true, false, 7, new Entry(10, 0, Deaths.NONE, true)));
    Work watched = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(watched.suspicion).isEqualTo(Suspicion.WATCHED);
    assertThat(watched.crashes()).isEqualTo(1);
    assertThat(watched.attempt()).isEqualTo(2);
    for (long offset : new long[] {13, 15}) {
      assertThat(partition.workOf(Records.record(partition, offset, "k"), MAX_CRASHES).suspicion)
          .isEqualTo(Suspicion.WATCHED);
    }
    assertThat(partition.workOf(Records.record(partition, 16, "k"), MAX_CRASHES).suspicion)
        .isEqualTo(Suspicion.NONE);
  }

  @Test
  void whatWasAtWorkInTwoDeathsIsAccused() {
    Partition partition =
        partition(note(true, false, 7, new Entry(10, 0, new Deaths(1, 2, 0), true)));
    Work accused = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(accused.suspicion).isEqualTo(Suspicion.ACCUSED);
    assertThat(accused.crashes()).isEqualTo(2);
  }

  @Test
  void whoDiedAloneAsOftenAsAllowedIsConvicted() {
    Work convicted = died(true, new Deaths(2, 4, 4));
    assertThat(convicted.isConvicted()).isTrue();
    assertThat(convicted.crashes()).isEqualTo(3);
    assertThat(convicted.attempt()).as("it is not tried again").isEqualTo(3);
    assertThat(convicted.suspicion).isEqualTo(Suspicion.NONE);
  }

  @Test
  void whoDiedLessOftenOrAmongOthersIsNotConvicted() {
    List<Work> works =
        List.of(
            died(true, new Deaths(1, 2, 2)),
            died(true, new Deaths(9, 18, 2)),
            died(false, new Deaths(9, 18, 4)));
    assertThat(works).noneMatch(Work::isConvicted);
    assertThat(works).allMatch(work -> work.suspicion == Suspicion.ACCUSED);
  }

  @Test
  void anAccusedThatWasNotHeardStaysAccusedUnderTheNextOwner() {
    Partition partition =
        partition(note(false, false, 7, new Entry(10, 0, new Deaths(2, 4, 0), false)));
    Work work = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(work.suspicion).isEqualTo(Suspicion.ACCUSED);
    assertThat(work.crashes()).as("nobody died since").isEqualTo(2);
  }

  @Test
  void aConvictionHoldsUntilItsDeadLetterHasArrivedWhoeverOwnsThePartition() {
    Work convicted = died(true, new Deaths(2, 4, 4));
    for (boolean open : new boolean[] {true, false, false}) {
      Progress progress = new Progress();
      progress.add(convicted);
      NoteContent content = progress.content(10, open, false, work -> false);
      Partition next = partition(CODEC.decode(10, CODEC.encode(content).text()));
      convicted = next.workOf(Records.record(next, 10, "k"), MAX_CRASHES);
      assertThat(convicted.isConvicted()).as("open %s", open).isTrue();
      assertThat(convicted.crashes()).isEqualTo(3);
      assertThat(convicted.suspicion).isEqualTo(Suspicion.NONE);
    }
  }

  @Test
  void aConvictionHoldsAlsoWhenItsRecordIsNotReadBeforeTheNextOwnerComes() {
    Work convicted = died(true, new Deaths(2, 4, 4));
    Progress progress = new Progress();
    progress.add(convicted);
    NoteContent content = progress.content(10, true, false, work -> false);
    Progress unread = new Progress(CODEC.decode(10, CODEC.encode(content).text()));
    NoteContent passedOn = unread.content(10, true, false, work -> false);
    Partition next = partition(CODEC.decode(10, CODEC.encode(passedOn).text()));
    assertThat(next.workOf(Records.record(next, 10, "k"), MAX_CRASHES).isConvicted()).isTrue();
  }

  // one that runs for long under members that come and go, and are killed now and then
  @Test
  void whoRunsAlongWhileItsPartitionIsGivenUpAgainAndAgainNeedNotRunAlone() {
    Work accused = died(true, new Deaths(2, 4, 2));
    for (int owner = 0; owner < 3; owner++) {
      assertThat(accused.suspicion).as("owner %d", owner).isEqualTo(Suspicion.ACCUSED);
      accused = handedOverWhileItRuns(accused);
    }
    assertThat(accused.suspicion).isEqualTo(Suspicion.WATCHED);
    assertThat(accused.deaths(true)).isEqualTo(new Deaths(3, 3, 1));
  }

  @Test
  void aConvictionIsNotClearedByHandOvers() {
    Work convicted = died(true, new Deaths(2, 4, 4));
    for (int owner = 0; owner < 4; owner++) {
      convicted.countFailure();
      convicted = handedOverWhileItRuns(convicted);
      assertThat(convicted.isConvicted()).as("owner %d", owner).isTrue();
    }
  }

  @Test
  void aTryThatFailedHasBeenOutlived() {
    Work accused = died(true, new Deaths(2, 4, 2));
    accused.countFailure();
    assertThat(accused.deaths(true)).isEqualTo(new Deaths(3, 5, 3));
  }

  private static Work handedOverWhileItRuns(Work work) {
    assertThat(work.begin(new HandlerLease(work.record(), LeasePolicy.standard(), () -> 0L)))
        .isTrue();
    Progress progress = new Progress();
    progress.add(work);
    NoteContent content = progress.content(10, false, false, any -> false);
    work.end();
    Partition next = partition(CODEC.decode(10, CODEC.encode(content).text()));
    return next.workOf(Records.record(next, 10, "k"), MAX_CRASHES);
  }

  /** A record whose process has died once more. */
  private static Work died(boolean alone, Deaths before) {
    Partition partition = partition(note(true, alone, 7, new Entry(10, 0, before, true)));
    return partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
  }

  private static Partition partition(CommitNote note) {
    return Records.assigned(0, note, 3);
  }

  /** From offset 10 on, of which 10 and 13 are open and 11, 12 and 14 done. */
  private static CommitNote note(boolean open, boolean alone, int leaderEpoch, Entry... entries) {
    NoteContent content =
        new NoteContent(open, alone, leaderEpoch, 10, 15, new long[] {10, 13}, List.of(entries));
    return CODEC.decode(10, CODEC.encode(content).text());
  }
}
