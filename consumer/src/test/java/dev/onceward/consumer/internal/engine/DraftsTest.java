package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Drafts.Draft;
import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.Deaths;
import dev.onceward.consumer.internal.offsets.NoteCodec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is written beside an offset, and what follows when it was written for nothing. */
class DraftsTest {

  private static final NoteCodec CODEC = new NoteCodec(4096);

  private final Lanes lanes = new Lanes(100, KeylessRecords.IN_PARTITION_ORDER);
  private final Drafts drafts = new Drafts(lanes, new Suspects(lanes, 3), lanes::open);
  private final Partition partition = Records.partition(0);

  @Test
  void recordsWhoseNamingCommitFailedAreNamedByTheNextOneHoweverManyTheyAre() {
    watched(200);
    for (int failed = 0; failed < 3; failed++) {
      assertThat(write().marked()).hasSize(64);
    }
    assertThat(lanes.take()).as("none of these commits has arrived").isNull();

    int started = 0;
    while (started < 200) {
      Draft draft = write();
      assertThat(draft.marked()).isNotEmpty();
      CommitNote note = CODEC.decode(draft.offset().offset(), draft.offset().metadata());
      drafts.arrived(draft);
      for (Work work = lanes.take(); work != null; work = lanes.finish(work)) {
        assertThat(note.started()).contains(work.offset());
        partition.progress().done(work);
        started++;
      }
    }
  }

  @Test
  void whatDidNotFitInANoteDoesNotStart() {
    for (int chars = drafts.maxChars(); chars > 64; chars /= 2) {
      drafts.shorten();
    }
    // far from each other, so that each takes room
    for (int i = 0; i < 30; i++) {
      watched(i * 100_003L * (i + 7), "key-" + i);
    }
    Draft draft = write();
    CommitNote note = CODEC.decode(draft.offset().offset(), draft.offset().metadata());
    drafts.arrived(draft);
    int started = 0;
    for (Work work = lanes.take(); work != null; work = lanes.take()) {
      assertThat(note.started()).contains(work.offset());
      started++;
    }
    assertThat(started).isPositive();
    assertThat(lanes.hasUnmarked(partition)).isTrue();
  }

  private Draft write() {
    List<Draft> written = drafts.write(List.of(partition), true);
    assertThat(written).hasSize(1);
    return written.get(0);
  }

  private void watched(int count) {
    for (int i = 0; i < count; i++) {
      watched(i, "key-" + i);
    }
  }

  private void watched(long offset, String key) {
    Work work =
        new Work(
            partition,
            Records.record(partition, offset, key),
            0,
            Deaths.NONE,
            Suspicion.WATCHED,
            false);
    partition.progress().add(work);
    lanes.offer(partition, List.of(work));
  }
}
