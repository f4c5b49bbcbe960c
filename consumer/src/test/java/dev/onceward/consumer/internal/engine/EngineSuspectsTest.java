package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.EngineLife.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.internal.offsets.Deaths;
import dev.onceward.consumer.internal.offsets.NoteCodec;
import dev.onceward.consumer.internal.offsets.NoteContent;
import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine that takes over from one that has died. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineSuspectsTest {

  private static final NoteCodec CODEC = new NoteCodec(4096);

  @Test
  void whatHasWaitedForASuspectRunsWhenThePartitionOfTheSuspectGoes() {
    try (EngineLife life = EngineLife.builder().build()) {
      leave(life, new Entry(5, 0, new Deaths(1, 2, 0), true));
      life.append(0, 1, 1);
      life.append(1, 1, 1);
      life.consumer().rebalanceTo(life.partitions(2));
      life.start();
      life.awaitComplete(2);
      life.calls().fail(ConsumerCall.COMMIT_ASYNC_ANSWER, ConsumerError.TIMEOUT, "no answer");
      life.append(0, 5, "suspect");
      eventually().until(() -> life.health().inFlight() == 1);
      int hits = life.calls().hits();
      eventually().until(() -> life.calls().hits() > hits + 1);
      life.append(1, 10, 10);
      eventually().until(() -> life.health().inFlight() == 11);
      life.consumer().rebalanceTo(List.of(life.partition(1)));
      eventually().until(() -> life.health().assignedPartitions() == 1);
      life.calls().heal();

      eventually().until(() -> life.truth().finished(life.partition(1)) == 11);
      life.stop();
      life.assertNoViolation();
      assertThat(life.truth().attempts(life.partition(0), 5)).isEmpty();
    }
  }

  // a session that timed out, a poll that came too late: the process lives
  @Test
  void aProcessThatLosesItsPartitionsAgainAndAgainDoesNotTakeItForItsDeath() {
    AtomicBoolean back = new AtomicBoolean();
    try (EngineLife life =
        EngineLife.builder()
            .handler(
                delivery -> {
                  if (delivery.offset() == 0 && !back.get()) {
                    new CountDownLatch(1).await();
                  }
                })
            .build()) {
      life.append(0, 3, 3);
      life.consumer().rebalanceTo(life.partitions(1));
      life.start();
      for (int i = 0; i < 5; i++) {
        eventually().until(() -> life.truth().unfinished() == 1 && life.truth().running() == 1);
        // until a commit has named it
        eventually()
            .until(
                () ->
                    !CODEC
                        .decode(
                            life.consumer().committedOffset(life.partition(0)),
                            life.consumer().committedText(life.partition(0)))
                        .started()
                        .isEmpty());
        life.consumer().lose(life.partitions(1));
        eventually().until(() -> life.health().assignedPartitions() == 0);
        life.consumer().rebalanceTo(life.partitions(1));
      }
      back.set(true);
      life.awaitComplete(1);
      assertThat(life.letters()).isEmpty();
      assertThat(life.truth().attempts(life.partition(0), 0)).containsOnly(1);
      life.stop();
      life.assertNoViolation();
    }
  }

  /** The note of an owner that has died, beside offset 0. */
  private static void leave(EngineLife life, Entry... entries) {
    NoteContent content = new NoteContent(true, false, 1, 0, 0, new long[0], List.of(entries));
    life.consumer()
        .leave(life.partition(0), new OffsetAndMetadata(0, CODEC.encode(content).text()));
  }
}
