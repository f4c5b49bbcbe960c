package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.internal.source.GroupSource;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a partition is read no further. */
class IntakeTest {

  private static final int MAX_NOTE = 4_096;
  private static final int MAX_RECORDS = 100;
  private static final long MAX_BYTES = 1_000_000;

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final Intake intake =
      new Intake(
          new GroupSource(consumer, Duration.ofSeconds(1)),
          MAX_RECORDS,
          MAX_BYTES,
          10,
          () -> MAX_NOTE);
  private final Partition full = Records.partition(0);
  private final Partition other = Records.partition(1);

  @BeforeEach
  void assign() {
    consumer.assign(List.of(full.id(), other.id()));
  }

  @Test
  void aPartitionWhoseNoteIsThreeQuartersFullIsReadNoFurtherUntilHalfOfThatIsDone() {
    full.noteChars(MAX_NOTE * 3 / 4 - 1);
    assertThat(adjust()).isFalse();

    full.noteChars(MAX_NOTE * 3 / 4);
    assertThat(adjust()).isTrue();
    assertThat(consumer.paused()).containsExactly(full.id());
    full.noteChars(MAX_NOTE * 3 / 8);
    assertThat(adjust()).as("still").isTrue();

    full.noteChars(MAX_NOTE * 3 / 8 - 1);
    assertThat(adjust()).isFalse();
    assertThat(consumer.paused()).isEmpty();
  }

  @Test
  void aMillionOffsetsBehindTheCommittedOneIsAsFarAsItReads() {
    Work stuck = Records.work(full, 5, "stuck");
    full.progress().add(stuck);
    full.progress().addDone(Records.record(full, 1_000_003, "a"));
    assertThat(adjust()).isFalse();

    full.progress().addDone(Records.record(full, 1_000_004, "a"));
    assertThat(adjust()).isTrue();
    assertThat(consumer.paused()).containsExactly(full.id());

    full.progress().done(stuck);
    assertThat(adjust()).as("done, and not committed").isTrue();
    full.committed(new OffsetAndMetadata(1_000_005));
    assertThat(adjust()).isFalse();
    assertThat(consumer.paused()).isEmpty();
  }

  @Test
  void aPartitionThatHasUsedItsShareIsPausedAndTheOtherIsNot() {
    List<Work> works =
        LongStream.range(0, MAX_RECORDS / 2)
            .mapToObj(offset -> Records.work(full, offset, "key-" + offset))
            .toList();
    works.forEach(full.progress()::add);
    assertThat(adjust()).isTrue();
    assertThat(consumer.paused()).containsExactly(full.id());

    works.subList(0, 3 * MAX_RECORDS / 8).forEach(full.progress()::done);
    assertThat(adjust()).isFalse();
  }

  @Test
  void onceClosedItTakesNothingIn() {
    intake.close();
    assertThat(adjust()).isTrue();
    assertThat(consumer.paused()).containsExactlyInAnyOrder(full.id(), other.id());
  }

  private boolean adjust() {
    return intake.adjust(List.of(full, other));
  }
}
