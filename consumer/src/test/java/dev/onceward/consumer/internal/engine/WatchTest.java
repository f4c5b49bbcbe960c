package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.HeldPartition;
import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Work.Wait;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchTest {

  private final Problems problems = new Problems();
  private final Lanes lanes = new Lanes(2, KeylessRecords.IN_PARTITION_ORDER);
  private final Watch watch = new Watch(lanes, problems, Duration.ofMillis(1));
  private final Partition partition = Records.partition(3);
  private final Work work = Records.work(partition, 12, "secret-key");

  @BeforeEach
  void offer() {
    partition.progress().add(work);
    lanes.offer(partition, List.of(work));
  }

  @Test
  void aRecordThatHoldsUpCommitsForLongIsNamedUntilItIsDone() {
    lanes.take();
    await().untilAsserted(() -> assertThat(look()).hasSize(1));
    assertThat(look().get(0))
        .contains("topic-3", "offset 12", "attempt 1", "its handler runs")
        .doesNotContain("secret-key");

    partition.progress().done(work);
    await().untilAsserted(() -> assertThat(look()).isEmpty());
    assertThat(watch.held()).isEmpty();
  }

  @Test
  void whatItWaitsForIsTold() {
    awaitGate(Gate.PERMIT);
    lanes.take();
    awaitGate(Gate.HANDLER);
    lanes.park(work, Wait.RETRY);
    awaitGate(Gate.RETRY);
    lanes.resume(work);
    lanes.take();
    lanes.park(work, Wait.DEAD_LETTER);
    awaitGate(Gate.DEAD_LETTER);
    assertThat(watch.held().get(0))
        .satisfies(
            held -> {
              assertThat(held.topic()).isEqualTo("topic");
              assertThat(held.partition()).isEqualTo(3);
              assertThat(held.offset()).isEqualTo(12);
              assertThat(held.age()).isPositive();
            });
  }

  private void awaitGate(Gate gate) {
    await()
        .untilAsserted(
            () -> {
              look();
              assertThat(watch.held()).extracting(HeldPartition::gate).containsExactly(gate);
            });
  }

  private List<String> look() {
    watch.look(List.of(partition));
    return problems.lines();
  }
}
