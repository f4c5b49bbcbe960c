package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
import java.util.Comparator;
import java.util.UUID;

/** The row that holds the version of an entity that was applied last. */
public sealed interface EntityRow {

  /**
   * A row of the inbox's own table, which the inbox writes.
   *
   * @param handler the handler's registered name
   * @param key hash of scope and entity key
   */
  record Own(String handler, UUID key) implements EntityRow, Comparable<Own> {
    private static final Comparator<Own> ORDER =
        Comparator.comparing(Own::key).thenComparing(Own::handler);

    @Override
    public int compareTo(Own other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * A row of a handler's table, which the handler writes.
   *
   * @param where the table and its columns
   * @param key the entity key, as text
   */
  record Foreign(GuardedRow where, String key) implements EntityRow {}
}
