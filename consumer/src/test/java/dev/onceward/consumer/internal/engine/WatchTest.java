package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchTest {

  private final Problems problems = new Problems();
  private final Watch watch = new Watch(problems, Duration.ofMillis(1));
  private final Partition partition = Records.partition(3);
  private final Work work = Records.work(partition, 12, "secret-key");

  @Test
  void workThatHoldsUpCommitsForLongIsNamedUntilItIsDone() {
    partition.progress().add(work);
    assertThat(work.begin()).isTrue();
    await().untilAsserted(() -> assertThat(look()).hasSize(1));
    assertThat(look().get(0))
        .contains("topic-3", "offset 12", "attempt 1", "its handler runs")
        .doesNotContain("secret-key");

    work.end();
    await().untilAsserted(() -> assertThat(look().get(0)).contains("it waits for a retry"));

    partition.progress().done(work);
    await().untilAsserted(() -> assertThat(look()).isEmpty());
  }

  @Test
  void whatHasNotBegunIsNotBlamed() {
    partition.progress().add(work);
    await()
        .during(Duration.ofMillis(1_500))
        .atMost(Duration.ofSeconds(30))
        .until(() -> look().isEmpty());
  }

  private List<String> look() {
    watch.look(List.of(partition));
    return problems.lines();
  }
}
