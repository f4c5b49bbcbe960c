package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.InboxEntry.Idempotency;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FenceTest extends FenceContract {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final JdbcInbox inbox = JdbcInbox.on(DATABASE.plain());

  FenceTest() {
    super(DATABASE);
  }

  @Test
  void anInterruptWhileWaitingForAFenceKeepsTheFlag() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> inbox.takeFence(new FenceScope("billing", "orders", null, 0)))
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void malformedScopesAndEntriesAreRefused() {
    assertThatThrownBy(() -> new FenceScope("", "t", null, 0)).hasMessageContaining("group");
    assertThatThrownBy(() -> new FenceScope("g", "t", null, -1)).hasMessageContaining("partition");
    assertThatThrownBy(() -> event("e").withIdempotency(Idempotency.OFFSET))
        .hasMessageContaining("atOffset");
    assertThatThrownBy(
            () ->
                event("e").atOffset(new Fence(new FenceScope("billing", "orders", null, 0), 1), -1))
        .hasMessageContaining("-1");
    assertThat(
            event("e")
                .atOffset(new Fence(new FenceScope("billing", "orders", null, 0), 1), 1)
                .withIdempotency(Idempotency.EVENT))
        .isEqualTo(
            event("e").withFence(new Fence(new FenceScope("billing", "orders", null, 0), 1)));
  }
}
