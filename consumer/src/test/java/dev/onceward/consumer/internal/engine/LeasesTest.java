package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import dev.onceward.consumer.internal.HandlerLease;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeasesTest {

  private static final LeasePolicy SHORT =
      LeasePolicy.builder().maximum(Duration.ofMillis(1)).build();

  private final Problems problems = new Problems();
  private final Leases leases = new Leases(OnExpiry.RETRY, problems, work -> {});
  private final Partition partition = Records.partition(0);
  private final Work work = Records.work(partition, 7, "k");

  @AfterEach
  void forgetTheInterrupt() {
    Thread.interrupted();
  }

  @Test
  void eachTryOfAnEventHasALeaseThatCanExpire() {
    partition.progress().add(work);
    for (int attempt = 0; attempt < 3; attempt++) {
      HandlerLease lease = new HandlerLease(work.record(), SHORT, System::nanoTime);
      assertThat(work.begin(lease)).isTrue();
      await().pollInSameThread().until(() -> looked(lease));
      work.end();
    }
    assertThat(problems.lines()).isEmpty();
  }

  /** The handler's thread is this one: what interrupts it must not end the wait. */
  private boolean looked(HandlerLease lease) {
    leases.look(List.of(partition));
    boolean interrupted = Thread.interrupted();
    assertThat(interrupted).isEqualTo(lease.isLost());
    return interrupted;
  }
}
