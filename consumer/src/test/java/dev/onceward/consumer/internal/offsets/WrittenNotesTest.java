package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Notes as they stand in the offsets of groups: every later version must read them as this one did,
 * or ignore them as a whole.
 */
class WrittenNotesTest {

  private final NoteCodec codec = new NoteCodec(4096);

  @Test
  void ofAnOwnerAtWork() {
    CommitNote note = codec.decode(1000, "OW1P7+4yDS0HAwACCAkBBPYD");
    assertThat(note.open()).isTrue();
    assertThat(note.alone()).isFalse();
    assertThat(note.leaderEpoch()).isEqualTo(7);
    assertThat(note.started()).isEqualTo(List.of(1000L, 1003L));
    assertThat(note.attempts(1000)).isEqualTo(2);
    assertThat(note.attempts(1012)).isEqualTo(1);
    assertThat(LongStream.range(1000, 1013).filter(note::isDone))
        .containsExactly(1001L, 1002L, 1004L, 1005L, 1006L, 1007L, 1008L, 1009L);
  }

  @Test
  void ofARecordThatRunsAlone() {
    CommitNote note = codec.decode(1000, "OW1PPRvwKw8HAQADAgQC");
    assertThat(note.open()).isTrue();
    assertThat(note.alone()).isTrue();
    assertThat(note.started()).isEqualTo(List.of(1000L));
    assertThat(note.deaths(1000)).isEqualTo(new Deaths(3, 6, 4));
    assertThat(note.doneAbove()).isZero();
  }

  @Test
  void ofAnOwnerThatLeftRunsOfDoneRecords() {
    long base = 5_000_000_000L;
    CommitNote note = codec.decode(base, "OW1ZyaIyiBPhmcDMOAoGFTAcBYMKAAA");
    assertThat(note.open()).isFalse();
    assertThat(note.leaderEpoch()).isEqualTo(12);
    assertThat(note.doneAbove()).isEqualTo(20_000 - 400);
    assertThat(LongStream.range(base, base + 20_000).filter(offset -> !note.isDone(offset)))
        .hasSize(400)
        .allMatch(offset -> (offset - base) % 50 == 0);
  }

  @Test
  void ofAnOwnerThatLeftRecordsDoneAtRandom() {
    CommitNote note = codec.decode(70, "OW1PBJUASSD8WLAnrDR52Hu9yzX4XlQ");
    assertThat(note.leaderEpoch()).isEqualTo(-1);
    assertThat(LongStream.range(70, 189).filter(offset -> !note.isDone(offset)).limit(12))
        .containsExactly(70L, 71L, 78L, 79L, 80L, 83L, 85L, 86L, 87L, 88L, 89L, 92L);
    assertThat(note.isDone(188)).isTrue();
    assertThat(note.isDone(189)).isFalse();
  }
}
