package dev.onceward.dedupe.internal;

/**
 * What a transaction needs of a fence before it commits.
 *
 * @param key which fence
 * @param epoch the epoch that must be the newest
 * @param moves whether the transaction moves the stored offset
 * @param lowest the lowest offset applied; the stored one must not be above it
 * @param next what the stored offset becomes
 */
public record FenceClaim(FenceKey key, long epoch, boolean moves, long lowest, long next) {

  static FenceClaim check(FenceKey key, long epoch) {
    return new FenceClaim(key, epoch, false, 0, 0);
  }

  FenceClaim with(long offset) {
    return new FenceClaim(
        key,
        epoch,
        true,
        moves ? Math.min(lowest, offset) : offset,
        moves ? Math.max(next, offset + 1) : offset + 1);
  }
}
