package dev.onceward.dedupe.internal;

import java.util.Comparator;
import java.util.UUID;

/**
 * A dedupe row. All transactions write theirs in the same order, so that they cannot deadlock.
 *
 * @param handler the handler's registered name
 * @param bucket the slice of time it belongs to
 * @param key hash of the event's identity
 */
public record EventRow(String handler, int bucket, UUID key) implements Comparable<EventRow> {
  private static final Comparator<EventRow> ORDER =
      Comparator.comparingInt(EventRow::bucket)
          .thenComparing(EventRow::key)
          .thenComparing(EventRow::handler);

  @Override
  public int compareTo(EventRow other) {
    return ORDER.compare(this, other);
  }
}
