package dev.onceward.producer.internal.outbox;

import java.util.HashSet;
import java.util.Set;

/** A shard that this relay holds, at one revision. Belongs to the drain. */
final class ShardState {
  final BucketState[] buckets;

  /** Keys with a dead row: what comes of them goes behind it. */
  final Set<RowKey> blocked = new HashSet<>();

  Lease lease;

  /** Whether {@link #blocked} is known, and reading may begin. */
  boolean ready;

  /** Whether it is to be given up, once nothing of it is under way. */
  boolean leaving;

  ShardState(Lease lease) {
    this.lease = lease;
    int[] numbers = Buckets.of(lease.shard());
    this.buckets = new BucketState[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      buckets[i] = new BucketState(numbers[i], this);
    }
  }

  BucketState bucket(int number) {
    return buckets[number / Buckets.SHARDS];
  }

  boolean isEmpty() {
    for (BucketState bucket : buckets) {
      if (!bucket.rows.isEmpty()) {
        return false;
      }
    }
    return true;
  }
}
