package dev.onceward.producer.internal.outbox;

/**
 * The right to send the rows of a shard.
 *
 * @param shard the shard
 * @param epoch grows with each owner
 * @param revision grows when rows were put back
 * @param validUntil by {@link System#nanoTime}; measured from before it was asked for, so it ends
 *     here no later than in the database
 */
record Lease(int shard, long epoch, long revision, long validUntil) {

  boolean isValid(long now) {
    return validUntil - now > 0;
  }
}
