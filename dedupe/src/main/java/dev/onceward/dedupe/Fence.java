package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The right to commit effects for a partition, taken with {@link Inbox#takeFence}. It holds until
 * somebody takes the fence of the same scope again. Immutable.
 *
 * @param scope what it is the fence of
 * @param epoch greater than that of every fence taken before for the same scope; at least 1. A
 *     handler can write it to other resources, which then refuse smaller ones
 * @param nextOffset for {@link InboxEntry.Idempotency#OFFSET}: the offset after the last one whose
 *     effect is committed, or empty when there is none
 */
public record Fence(FenceScope scope, long epoch, OptionalLong nextOffset) {
  /** Checks the parts. */
  public Fence {
    requireNonNull(scope, "scope");
    requireNonNull(nextOffset, "nextOffset");
    if (epoch < 1) {
      throw new IllegalArgumentException("epoch must be positive: " + epoch);
    }
  }

  /** A fence by its epoch alone, as an owner keeps it. */
  public Fence(FenceScope scope, long epoch) {
    this(scope, epoch, OptionalLong.empty());
  }
}
