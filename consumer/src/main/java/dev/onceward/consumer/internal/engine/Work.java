package dev.onceward.consumer.internal.engine;

import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** One record from its arrival until it is done. Who may touch a field stands beside it. */
final class Work {

  private static final int OVERHEAD_BYTES = 96;

  private final Partition partition;
  private final long offset;
  private final int bytes;

  /** Null once the work is done or dropped, so that what waits to be committed costs little. */
  private volatile @Nullable ConsumerRecord<byte[], byte[]> record;

  // guarded by the lock of Lanes
  @Nullable Lane lane;
  @Nullable Work next;
  long dueNanos;

  // the thread that has taken it: the lock of Lanes hands it over
  private int attempt = 1;
  private int failures;
  private @Nullable Instant firstFailure;
  private @Nullable Instant ageBegin;
  private boolean waitedForInbox;

  // the poll thread
  boolean done;

  // guarded by this
  private @Nullable Thread runner;
  private boolean cancelled;
  private boolean started;
  private long startedNanos;

  Work(Partition partition, ConsumerRecord<byte[], byte[]> record) {
    this.partition = partition;
    this.record = record;
    this.offset = record.offset();
    this.bytes = size(record);
  }

  Partition partition() {
    return partition;
  }

  long offset() {
    return offset;
  }

  /** An estimate of the heap that the record holds. */
  int bytes() {
    return bytes;
  }

  ConsumerRecord<byte[], byte[]> record() {
    ConsumerRecord<byte[], byte[]> held = record;
    if (held == null) {
      throw new IllegalStateException("offset " + offset + " is done");
    }
    return held;
  }

  boolean isReleased() {
    return record == null;
  }

  void release() {
    record = null;
  }

  int attempt() {
    return attempt;
  }

  int failures() {
    return failures;
  }

  Instant firstFailure(Instant now) {
    if (firstFailure == null) {
      firstFailure = now;
    }
    return firstFailure;
  }

  /** How long the work has been failing, the time without the inbox's database not counted. */
  Duration age(Instant now, boolean counts) {
    if (!counts) {
      ageBegin = null;
      return Duration.ZERO;
    }
    if (ageBegin == null) {
      ageBegin = now;
    }
    return Duration.between(ageBegin, now);
  }

  /** Remembers that a try failed for want of the inbox's database. */
  void waitForInbox() {
    waitedForInbox = true;
  }

  boolean waitedForInbox() {
    return waitedForInbox;
  }

  void countFailure() {
    failures++;
  }

  void nextAttempt() {
    attempt++;
  }

  /** Marks the calling thread as the one at work; false when the work was cancelled before. */
  synchronized boolean begin() {
    if (cancelled) {
      return false;
    }
    runner = Thread.currentThread();
    if (!started) {
      started = true;
      startedNanos = System.nanoTime();
    }
    return true;
  }

  /** Ends {@link #begin}; afterwards no interrupt of {@link #cancel} can hit the thread. */
  synchronized void end() {
    runner = null;
  }

  /**
   * Gives the work up for good: it does not start any more, and a running handler is interrupted.
   */
  synchronized void cancel() {
    cancelled = true;
    if (runner != null) {
      runner.interrupt();
    }
  }

  /** Whether a first try has begun. */
  synchronized boolean isStarted() {
    return started;
  }

  /** When the first try began, as {@link System#nanoTime}. */
  synchronized long startedNanos() {
    return startedNanos;
  }

  /** Whether a handler is at it. */
  synchronized boolean isRunning() {
    return runner != null;
  }

  synchronized boolean cancelled() {
    return cancelled;
  }

  private static int size(ConsumerRecord<byte[], byte[]> record) {
    long size = OVERHEAD_BYTES;
    size += Math.max(record.serializedKeySize(), 0);
    size += Math.max(record.serializedValueSize(), 0);
    for (Header header : record.headers()) {
      size += header.key().length() + (header.value() == null ? 0 : header.value().length);
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }
}
