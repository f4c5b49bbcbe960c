package dev.onceward.producer.internal.outbox;

import java.util.TreeMap;

/** What is known of a bucket. Belongs to the drain. */
final class BucketState {
  final int number;
  final ShardState shard;

  /** All rows that are in memory, by their number. */
  final TreeMap<Long, Row> rows = new TreeMap<>();

  /**
   * How often rows that are still in the database were taken out of memory. What was read before
   * such a moment does not fit: it lacks rows that were in memory, and has later ones of their
   * keys.
   */
  int forgotten;

  /** Every row up to here is gone: the low-water mark. */
  long floor;

  /** Rows up to here have been read, but for those that were committed late. */
  long cursor;

  BucketState(int number, ShardState shard) {
    this.number = number;
    this.shard = shard;
  }

  /**
   * Raises the low-water mark.
   *
   * @param known every row up to here that is not in memory is gone
   */
  void settle(long known) {
    long upTo = rows.isEmpty() ? known : Math.min(known, rows.firstKey() - 1);
    floor = Math.max(floor, upTo);
    cursor = Math.max(cursor, floor);
  }
}
