package dev.onceward.consumer.internal.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.KeylessRecords;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Works that are taken together, to run one after another under one permit. */
class LanesTogetherTest {

  private final Partition partition = Records.partition(0);

  @Test
  void worksThatRunTogetherTakeOnePermitAndKeepTheOrderOfTheirKeys() {
    Lanes lanes = lanes(1);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b"), work(3, "c")));
    Work first = take(lanes);
    List<Work> together = lanes.takeMore(first, 10);
    assertThat(together).extracting(Work::offset).containsExactly(0L, 2L, 3L, 1L);
    assertThat(lanes.isIdle(partition)).isFalse();
    lanes.offer(partition, List.of(work(4, "a"), work(5, "d")));
    assertThat(lanes.take()).as("the permit is taken").isNull();
    Work next = lanes.finishTogether(together, List.of());
    assertThat(next).isNotNull();
    assertThat(next.offset()).isIn(4L, 5L);
  }

  @Test
  void readyWorkIsSharedOutOverThePermitsThatAreFree() {
    Lanes lanes = lanes(4);
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      works.add(work(i, "k" + i));
    }
    lanes.offer(partition, works);
    assertThat(lanes.takeMore(take(lanes), 100)).hasSize(10);
    assertThat(lanes.takeMore(take(lanes), 100)).hasSize(10);
    assertThat(lanes.takeMore(take(lanes), 5)).hasSize(5);
  }

  @Test
  void worksThatRunTogetherInVainBecomeReadyInTheOrderOfTheirKeys() {
    Lanes lanes = lanes(1);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b"), work(3, "b")));
    List<Work> together = lanes.takeMore(take(lanes), 10);
    assertThat(together).extracting(Work::offset).containsExactly(0L, 2L, 1L, 3L);
    together.forEach(Work::runByItself);
    Work next =
        lanes.finishTogether(
            List.of(together.get(1)), List.of(together.get(0), together.get(2), together.get(3)));
    assertThat(next).isSameAs(together.get(0));
    assertThat(lanes.takeMore(together.get(0), 10)).as("by itself").hasSize(1);
    assertThat(lanes.finish(together.get(0))).isSameAs(together.get(3));
    assertThat(lanes.finish(together.get(3))).isSameAs(together.get(2));
  }

  @Test
  void nothingMoreOfAPartitionThatGoesIsTaken() {
    Lanes lanes = lanes(2);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "b")));
    Work first = take(lanes);
    lanes.startNoMore(List.of(partition));
    assertThat(lanes.takeMore(first, 10)).containsExactly(first);
  }

  @Test
  void whatComesBackFromAsideWhileItsKeyRunsTogetherIsTakenOnce() {
    Lanes lanes = lanes(2);
    lanes.offer(partition, List.of(work(0, "a"), work(1, "a"), work(2, "a")));
    Work early = take(lanes);
    Work next = lanes.setAside(early);
    assertThat(next).extracting(Work::offset).isEqualTo(1L);
    List<Work> together = lanes.takeMore(requireNonNull(next), 10);
    assertThat(together).extracting(Work::offset).containsExactly(1L, 2L);
    assertThat(lanes.finishTogether(together, List.of())).isSameAs(early);
    assertThat(lanes.take()).as("it runs already").isNull();
    assertThat(lanes.finish(early)).isNull();
    assertThat(lanes.isIdle(partition)).isTrue();
  }

  @Test
  void whatCanNotRunTogetherKeepsItsTurn() {
    Lanes lanes = lanes(1);
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      works.add(work(i, "k" + i));
    }
    works.get(5).runByItself();
    lanes.offer(partition, works);
    List<Work> together = lanes.takeMore(take(lanes), 20);
    assertThat(together).extracting(Work::offset).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(lanes.finishTogether(together, List.of())).isSameAs(works.get(5));
  }

  private static Lanes lanes(int permits) {
    return new Lanes(permits, KeylessRecords.IN_PARTITION_ORDER);
  }

  private Work work(long offset, String key) {
    return Records.work(partition, offset, key);
  }

  private static Work take(Lanes lanes) {
    Work work = lanes.take();
    assertThat(work).isNotNull();
    return work;
  }
}
