package dev.onceward.it.guarantee;

import dev.onceward.consumer.ConsumerHealth;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounded memory: a member never holds more records that are read and not done than its {@code
 * maxInFlightRecords} and one poll more, and the heap in use does not grow with what has been
 * handled: after a collection it is at the end no larger than at the beginning but for a stated
 * allowance, which is the observer's own.
 */
final class BoundedMemory implements Guarantee {

  private static final long MEGABYTE = 1024 * 1024;

  private final long bound;
  private final long allowedBytes;
  private final List<String> exceeded = new ArrayList<>();
  private long most;
  private long heapAtBegin = -1;
  private long heapAtEnd = -1;

  /** A guarantee on so many records, and so many more bytes of heap at the end. */
  BoundedMemory(long bound, long allowedBytes) {
    this.bound = bound;
    this.allowedBytes = allowedBytes;
  }

  /** Told of a member's health from time to time. One thread at a time. */
  void seen(String member, ConsumerHealth health) {
    most = Math.max(most, health.inFlight());
    if (health.inFlight() > bound || health.inFlight() < 0) {
      exceeded.add("%d records in flight in %s".formatted(health.inFlight(), member));
    }
  }

  /** Measures the heap; only of use when nothing else runs in the JVM. */
  void measureHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    heapAtEnd = runtime.totalMemory() - runtime.freeMemory();
    if (heapAtBegin < 0) {
      heapAtBegin = heapAtEnd;
    }
  }

  long most() {
    return most;
  }

  String heap() {
    return heapAtBegin < 0
        ? "not measured"
        : "%d MB, then %d MB".formatted(heapAtBegin / MEGABYTE, heapAtEnd / MEGABYTE);
  }

  @Override
  public void check(Findings findings) {
    exceeded.forEach(one -> findings.breach(this, one));
    if (heapAtEnd - heapAtBegin > allowedBytes) {
      findings.breach(this, "the heap grew: " + heap());
    }
  }
}
