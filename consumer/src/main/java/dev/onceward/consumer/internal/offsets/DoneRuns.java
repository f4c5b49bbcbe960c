package dev.onceward.consumer.internal.offsets;

import java.util.Arrays;

/** A set of offsets as ascending runs that do not touch. Immutable. */
final class DoneRuns {

  static final DoneRuns NONE = new Builder(0).build();

  private final long[] from;
  private final long[] to;
  private final long count;

  private DoneRuns(long[] from, long[] to) {
    this.from = from;
    this.to = to;
    long sum = 0;
    for (int i = 0; i < from.length; i++) {
      sum += to[i] - from[i];
    }
    this.count = sum;
  }

  /**
   * All of [base, end) but the given offsets, which ascend. Costs what they cost, not the range.
   */
  static DoneRuns between(long base, long end, long[] unfinished) {
    Builder runs = new Builder(Math.min(unfinished.length, 1023) + 1);
    long position = base;
    for (long offset : unfinished) {
      runs.add(position, offset);
      position = offset + 1;
    }
    runs.add(position, end);
    return runs.build();
  }

  int size() {
    return from.length;
  }

  /** Where a run begins. */
  long from(int run) {
    return from[run];
  }

  /** One past the last offset of a run. */
  long to(int run) {
    return to[run];
  }

  long length(int run) {
    return to[run] - from[run];
  }

  /** How many offsets are in it. */
  long count() {
    return count;
  }

  boolean contains(long offset) {
    int found = Arrays.binarySearch(from, offset);
    int run = found >= 0 ? found : -found - 2;
    return run >= 0 && offset < to[run];
  }

  /** Collects runs in ascending order. */
  static final class Builder {

    private long[] from;
    private long[] to;
    private int size;

    Builder(int capacity) {
      from = new long[capacity];
      to = new long[capacity];
    }

    /**
     * Adds [start, end), or nothing when that is empty; it begins where the last ended or later.
     */
    void add(long start, long end) {
      if (start >= end) {
        return;
      }
      if (size > 0 && to[size - 1] == start) {
        to[size - 1] = end;
        return;
      }
      if (size == from.length) {
        int capacity = Math.max(16, size * 2);
        from = Arrays.copyOf(from, capacity);
        to = Arrays.copyOf(to, capacity);
      }
      from[size] = start;
      to[size++] = end;
    }

    DoneRuns build() {
      return new DoneRuns(Arrays.copyOf(from, size), Arrays.copyOf(to, size));
    }
  }
}
