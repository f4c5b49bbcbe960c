package dev.onceward.producer.internal.outbox;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets one row of a key out at a time: the next one goes when the brokers have acknowledged the one
 * before it. More would go faster, and a failed record could be overtaken by the next one of its
 * key, already on its way. Rows without a key are not held. Not thread-safe.
 */
final class KeyGate {
  private final Map<RowKey, ArrayDeque<Row>> lines = new HashMap<>();

  /** Puts a row at the end of its key's line; true when it is the first and may go. */
  boolean enter(Row row) {
    if (row.key == null) {
      return true;
    }
    ArrayDeque<Row> line = lines.computeIfAbsent(row.key, any -> new ArrayDeque<>(4));
    line.add(row);
    return line.size() == 1;
  }

  /** Takes the first row of a line out; returns the one that may go now. */
  @Nullable Row leave(Row first) {
    if (first.key == null) {
      return null;
    }
    ArrayDeque<Row> line = lines.get(first.key);
    if (line == null || line.peekFirst() != first) {
      return null;
    }
    line.removeFirst();
    if (line.isEmpty()) {
      lines.remove(first.key);
      return null;
    }
    return line.peekFirst();
  }

  /** Takes the first row of a line out and all behind it; returns those behind it, in order. */
  List<Row> close(Row first) {
    ArrayDeque<Row> line = first.key == null ? null : lines.get(first.key);
    if (line == null || line.peekFirst() != first) {
      return List.of();
    }
    lines.remove(first.key);
    line.removeFirst();
    return new ArrayList<>(line);
  }

  /** Takes out the rows of this kind, wherever they stand. */
  void remove(Predicate<Row> which) {
    lines
        .values()
        .removeIf(
            line -> {
              line.removeIf(which);
              return line.isEmpty();
            });
  }
}
