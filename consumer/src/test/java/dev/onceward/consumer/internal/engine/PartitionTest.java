package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

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
        partition(note(true, false, 6, new Entry(10, 2, 1, true), new Entry(13, 0, 2, false)));
    assertThat(partition.isDone(Records.record(partition, 11, "k"))).isFalse();
    Work work = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(work.attempt()).isEqualTo(1);
    assertThat(work.crashes()).isZero();
  }

  @Test
  void failedAttemptsCountOn() {
    Partition partition = partition(note(false, false, 7, new Entry(10, 2, 0, false)));
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
    Partition partition = partition(note(true, false, 7, new Entry(10, 0, 0, true)));
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
    Partition partition = partition(note(true, false, 7, new Entry(10, 0, 1, true)));
    Work accused = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(accused.suspicion).isEqualTo(Suspicion.ACCUSED);
    assertThat(accused.crashes()).isEqualTo(2);
  }

  @Test
  void whoDiedAloneAsOftenAsAllowedIsConvicted() {
    Work convicted = died(true, new Deaths(2, 2));
    assertThat(convicted.isConvicted()).isTrue();
    assertThat(convicted.crashes()).isEqualTo(3);
    assertThat(convicted.attempt()).as("it is not tried again").isEqualTo(3);
    assertThat(convicted.suspicion).isEqualTo(Suspicion.NONE);
  }

  @Test
  void whoDiedLessOftenOrAmongOthersIsNotConvicted() {
    List<Work> works =
        List.of(
            died(true, new Deaths(1, 1)),
            died(true, new Deaths(9, 1)),
            died(false, new Deaths(9, 2)));
    assertThat(works).noneMatch(Work::isConvicted);
    assertThat(works).allMatch(work -> work.suspicion == Suspicion.ACCUSED);
  }

  @Test
  void anAccusedThatWasNotHeardStaysAccusedUnderTheNextOwner() {
    Partition partition = partition(note(false, false, 7, new Entry(10, 0, 2, false)));
    Work work = partition.workOf(Records.record(partition, 10, "k"), MAX_CRASHES);
    assertThat(work.suspicion).isEqualTo(Suspicion.ACCUSED);
    assertThat(work.crashes()).as("nobody died since").isEqualTo(2);
  }

  @Test
  void aConvictionHoldsUntilItsDeadLetterHasArrivedWhoeverOwnsThePartition() {
    Work convicted = died(true, new Deaths(2, 2));
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
    Work convicted = died(true, new Deaths(2, 2));
    Progress progress = new Progress();
    progress.add(convicted);
    NoteContent content = progress.content(10, true, false, work -> false);
    Progress unread = new Progress(CODEC.decode(10, CODEC.encode(content).text()));
    NoteContent passedOn = unread.content(10, true, false, work -> false);
    Partition next = partition(CODEC.decode(10, CODEC.encode(passedOn).text()));
    assertThat(next.workOf(Records.record(next, 10, "k"), MAX_CRASHES).isConvicted()).isTrue();
  }

  /** A record whose process has died once more. */
  private static Work died(boolean alone, Deaths before) {
    Partition partition = partition(note(true, alone, 7, new Entry(10, 0, before.told(), true)));
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
