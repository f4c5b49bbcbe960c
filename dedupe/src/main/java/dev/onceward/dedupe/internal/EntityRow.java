package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.InboxEntry.GuardedRow;
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

    @Override
    public int compareTo(Own other) {
      int order = key.compareTo(other.key);
      return order == 0 ? handler.compareTo(other.handler) : order;
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
