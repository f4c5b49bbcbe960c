package dev.onceward.it.guarantee;

import java.util.Arrays;

/** A number for each offset of a partition, zero at first; four bytes each. Not thread-safe. */
final class Column {

  private int[] values = new int[1024];

  int get(long offset) {
    return offset < values.length ? values[(int) offset] : 0;
  }

  void set(long offset, int value) {
    int index = Math.toIntExact(offset);
    if (index >= values.length) {
      values = Arrays.copyOf(values, Math.max(index + 1, values.length * 2));
    }
    values[index] = value;
  }

  void add(long offset, int more) {
    set(offset, get(offset) + more);
  }
}
