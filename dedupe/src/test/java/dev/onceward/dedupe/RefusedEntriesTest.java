package dev.onceward.dedupe;

import static dev.onceward.dedupe.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.dedupe.InboxEntry.EntityVersion;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Entries that would lose an event are refused as soon as they are made. */
class RefusedEntriesTest {
  private static final Fence FENCE = new Fence(new FenceScope("group", "orders", "id", 0), 1);

  @Test
  void aGapThatItsOffsetWouldLeaveBehindAsDoneIsRefusedInEitherOrder() {
    for (EntityVersion next :
        List.of(
            EntityVersion.next("orders", "k", 2),
            EntityVersion.nextFromAny("orders", "k", 2),
            EntityVersion.next("orders", "k", 2).onRow("stock", "id", "version"))) {
      assertThatThrownBy(() -> event("e1").atOffset(FENCE, 7).withVersion(next))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("atOffset")
          .hasMessageContaining("use idempotency EVENT, or EntityVersion.latest");
      assertThatThrownBy(() -> event("e1").withVersion(next).atOffset(FENCE, 7))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("use idempotency EVENT, or EntityVersion.latest");
    }
  }

  @Test
  void aStaleVersionIsDoneSoItMayGoWithTheOffset() {
    InboxEntry entry =
        event("e1").withVersion(EntityVersion.latest("orders", "k", 2)).atOffset(FENCE, 7);
    assertThat(Optional.ofNullable(entry.version())).isPresent();
  }
}
