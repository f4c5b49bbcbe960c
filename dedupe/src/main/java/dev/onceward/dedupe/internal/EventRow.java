package dev.onceward.dedupe.internal;

import java.util.UUID;

/**
 * A dedupe row. All transactions write theirs in the same order, so that they cannot deadlock.
 *
 * @param handler the handler's registered name
 * @param bucket the slice of time it belongs to
 * @param key hash of the event's identity
 */
public record EventRow(String handler, int bucket, UUID key) implements Comparable<EventRow> {

  @Override
  public int compareTo(EventRow other) {
    int order = Integer.compare(bucket, other.bucket);
    if (order == 0) {
      order = key.compareTo(other.key);
    }
    return order == 0 ? handler.compareTo(other.handler) : order;
  }
}
