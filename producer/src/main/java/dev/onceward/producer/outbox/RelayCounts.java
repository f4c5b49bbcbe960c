package dev.onceward.producer.outbox;

/**
 * What a relay has done since it was started.
 *
 * @param sent rows that the brokers have acknowledged
 * @param deleted rows of those that are deleted
 * @param failed sends that failed and are tried again
 * @param dead rows given up as dead
 * @param behind rows that were put behind a dead row of their key
 * @param shardsTaken shards taken, free ones and those of relays that were gone
 * @param shardsGivenUp shards given up to share them with other relays
 * @param shardsLost shards that another relay took because this one did not renew its lease in time
 * @param overlooked rows that only the slow full sweep has found; always 0 unless something other
 *     than {@link Outbox} writes to the table
 */
public record RelayCounts(
    long sent,
    long deleted,
    long failed,
    long dead,
    long behind,
    long shardsTaken,
    long shardsGivenUp,
    long shardsLost,
    long overlooked) {}
