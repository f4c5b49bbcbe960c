package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.Deaths;
import dev.onceward.consumer.internal.offsets.NoteCodec;
import dev.onceward.consumer.internal.offsets.NoteContent;
import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private final Partition partition = Records.partition(0);
  private final Progress progress = partition.progress();

  @Test
  void nothingReadMeansNothingToCommit() {
    assertThat(progress.committable()).isNull();
  }

  @Test
  void theFirstRecordNotDoneIsWhatIsCommitted() {
    Work first = add(10);
    Work second = add(11);
    progress.done(second);
    assertThat(committableOffset()).isEqualTo(10);
    progress.done(first);
    progress.readUpTo(new OffsetAndMetadata(12, Optional.of(7), ""));
    assertThat(committableOffset()).isEqualTo(12);
  }

  @Test
  void whenAllIsDoneThePositionIsCommittedPastMarkersThatAreNoRecords() {
    Work only = add(5);
    progress.readUpTo(new OffsetAndMetadata(9, Optional.of(7), ""));
    progress.done(only);
    assertThat(committableOffset()).isEqualTo(9);
  }

  @Test
  void doingARecordTwiceCountsOnce() {
    Work first = add(0);
    add(1);
    progress.done(first);
    progress.done(first);
    assertThat(progress.unfinished()).isEqualTo(1);
    assertThat(progress.unfinishedBytes()).isEqualTo(first.bytes());
  }

  @Test
  void recordsOutOfOrderAreRefused() {
    add(4);
    assertThatThrownBy(() -> add(4)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> add(3)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void offsetsThatWereReadBeforeAreToldFromThoseToCome() {
    assertThat(progress.isBehind(0)).isFalse();
    add(4);
    progress.readUpTo(new OffsetAndMetadata(6));
    assertThat(progress.isBehind(5)).isTrue();
    assertThat(progress.isBehind(6)).isFalse();
  }

  @Test
  void doneRecordsBehindAnOpenOneLetGoOfTheirData() {
    add(0);
    Work later = add(1);
    progress.done(later);
    assertThatThrownBy(later::record).isInstanceOf(IllegalStateException.class);
    assertThat(progress.unfinished()).isOne();
  }

  @Test
  void recordsThatAnEarlierOwnerHasDoneArePassedOver() {
    add(3);
    progress.addDone(Records.record(partition, 4, "key"));
    progress.addDone(Records.record(partition, 6, "key"));
    Work last = add(7);
    assertThat(progress.unfinished()).isEqualTo(2);
    progress.done(last);
    assertThat(content(3).unfinished()).containsExactly(3);
    assertThat(content(3).end()).isEqualTo(8);
    assertThat(content(3).leaderEpoch()).isEqualTo(7);
  }

  @Test
  void whatHasFailedOrIsNamedIsToldAndNothingElse() {
    Work failing = add(3);
    failing.countFailedAttempt();
    failing.countFailedAttempt();
    Work named = add(4);
    add(5);
    NoteContent content = progress.content(3, true, false, work -> work == named);
    assertThat(content.entries())
        .containsExactly(new Entry(3, 2, Deaths.NONE, false), new Entry(4, 0, Deaths.NONE, true));
    assertThat(content.end()).isEqualTo(3);
    assertThat(content.open()).isTrue();
  }

  @Property(tries = 500)
  void theCommitNeverPassesAnOpenRecordWhateverTheOrderAndTheGaps(
      @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 1, max = 5) Integer> steps,
      @ForAll Random random) {
    Partition owned = Records.partition(1);
    Progress tracked = owned.progress();
    List<Work> pending = new ArrayList<>();
    TreeSet<Long> open = new TreeSet<>();
    long offset = 0;
    for (int step : steps) {
      offset += step;
      Work work = Records.work(owned, offset, "k");
      tracked.add(work);
      pending.add(work);
      open.add(offset);
      tracked.readUpTo(new OffsetAndMetadata(offset + 1, Optional.empty(), ""));
      if (random.nextBoolean()) {
        finishOne(tracked, pending, open, random);
      }
      check(tracked, open, offset);
    }
    while (!pending.isEmpty()) {
      finishOne(tracked, pending, open, random);
      check(tracked, open, offset);
    }
    assertThat(tracked.firstUnfinished()).isNull();
    assertThat(tracked.unfinishedBytes()).isZero();
  }

  private static void finishOne(
      Progress tracked, List<Work> pending, NavigableSet<Long> open, Random random) {
    if (pending.isEmpty()) {
      return;
    }
    Work work = pending.remove(random.nextInt(pending.size()));
    open.remove(work.offset());
    tracked.done(work);
  }

  private static void check(Progress tracked, NavigableSet<Long> open, long lastOffset) {
    OffsetAndMetadata next = tracked.committable();
    long expected = open.isEmpty() ? lastOffset + 1 : open.first();
    assertThat(next).isNotNull();
    assertThat(next.offset()).isEqualTo(expected);
    assertThat(tracked.unfinished()).isEqualTo(open.size());
    NoteContent content = tracked.content(expected, true, false, work -> false);
    assertThat(content.base()).isEqualTo(expected);
    assertThat(content.unfinished())
        .containsExactly(open.headSet(content.end()).stream().mapToLong(Long::longValue).toArray());
  }

  @Test
  void whatTheLastOwnerSaidOfRecordsThatAreNotReadYetHoldsOn() {
    Progress next = new Progress(left(7));
    next.add(Records.work(Records.partition(0), 10, "k"));
    next.readUpTo(new OffsetAndMetadata(12));
    NoteContent content = next.content(10, true, false, work -> false);
    assertThat(content.end()).isEqualTo(18);
    assertThat(content.unfinished()).containsExactly(10, 13, 16);
    assertThat(content.entries()).containsExactly(new Entry(13, 2, new Deaths(1, 2, 2), false));
    assertThat(content.leaderEpoch()).isEqualTo(7);
  }

  @Test
  void whatTheLastOwnerSaidIsVoidOnceALaterLeaderHasWritten() {
    Progress next = new Progress(left(6));
    next.add(Records.work(Records.partition(0), 10, "k"));
    NoteContent content = next.content(10, true, false, work -> false);
    assertThat(content.end()).isEqualTo(10);
    assertThat(content.unfinished()).isEmpty();
    assertThat(content.entries()).isEmpty();
  }

  /** Done are 11, 12, 14, 15 and 17; 13 was at work when its process died. */
  private static CommitNote left(int leaderEpoch) {
    NoteContent content =
        new NoteContent(
            true,
            true,
            leaderEpoch,
            10,
            18,
            new long[] {10, 13, 16},
            List.of(new Entry(13, 2, Deaths.NONE, true)));
    NoteCodec codec = new NoteCodec(4096);
    return codec.decode(10, codec.encode(content).text());
  }

  private NoteContent content(long base) {
    return progress.content(base, true, false, work -> false);
  }

  private long committableOffset() {
    OffsetAndMetadata next = progress.committable();
    assertThat(next).isNotNull();
    return next.offset();
  }

  private Work add(long offset) {
    Work work = Records.work(partition, offset, "key");
    progress.add(work);
    return work;
  }
}
