package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.KeylessRecords;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides which work starts next: one at a time per key and in offset order, never more than a
 * fixed number at once, and the partition with the least running first, so that a slow one can not
 * take everything. Thread-safe; every decision is made under one lock, so that after {@link #close}
 * nothing of the partition starts.
 */
final class Lanes {

  private final ReentrantLock lock = new ReentrantLock();
  private final int concurrency;
  private final KeylessRecords keyless;

  /** Partitions with ready lanes, each once. */
  private final Deque<Partition> ready = new ArrayDeque<>();

  private int running;

  Lanes(int concurrency, KeylessRecords keyless) {
    this.concurrency = concurrency;
    this.keyless = keyless;
  }

  /** Queues work of one partition, in offset order. */
  void offer(Partition partition, List<Work> works) {
    lock.lock();
    try {
      for (Work work : works) {
        Lane lane = laneOf(partition, work.record().key());
        if (lane.append(work)) {
          makeReady(partition, lane);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Lane laneOf(Partition partition, byte @Nullable [] key) {
    if (key != null) {
      return partition.lane(Lane.of(key));
    }
    // a lane that no map knows has no followers
    return keyless == KeylessRecords.UNORDERED ? Lane.keyless() : partition.keylessLane();
  }

  /** Takes the next work to run, or null when none is ready or all permits are taken. */
  @Nullable Work take() {
    lock.lock();
    try {
      return takeLocked();
    } finally {
      lock.unlock();
    }
  }

  /** The work's record is done: gives the permit back, lets the key go on, and takes the next. */
  @Nullable Work finish(Work work) {
    lock.lock();
    try {
      releasePermit(work);
      advance(work);
      return takeLocked();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The work waits for a retry or an acknowledgement: its key stays taken; takes the next.
   *
   * @param dueNanos when it may go on at the earliest, as {@link System#nanoTime}
   */
  @Nullable Work park(Work work, long dueNanos) {
    lock.lock();
    try {
      releasePermit(work);
      work.dueNanos = dueNanos;
      if (!work.partition().closed) {
        work.partition().parked.add(work);
      }
      return takeLocked();
    } finally {
      lock.unlock();
    }
  }

  /** Work that was taken could not be started: it becomes ready again. */
  void putBack(Work work) {
    lock.lock();
    try {
      releasePermit(work);
      Lane lane = work.lane;
      if (lane != null) {
        makeReady(work.partition(), lane);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Parked work may run again. */
  void resume(Work work) {
    lock.lock();
    try {
      Lane lane = work.lane;
      work.partition().parked.remove(work);
      if (lane != null && !work.partition().closed) {
        makeReady(work.partition(), lane);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Parked work is done: lets its key go on. */
  void finishParked(Work work) {
    lock.lock();
    try {
      work.partition().parked.remove(work);
      advance(work);
    } finally {
      lock.unlock();
    }
  }

  /** From now on starts only what closes the gaps below the highest offset already started. */
  void startNoMore(Collection<Partition> partitions) {
    lock.lock();
    try {
      for (Partition partition : partitions) {
        partition.lastToStart = partition.highestStarted;
        partition.ready.removeIf(lane -> !mayStart(partition, lane));
        if (partition.ready.isEmpty()) {
          ready.remove(partition);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The offset up to which work of the partition has started, or -1. */
  long highestStarted(Partition partition) {
    lock.lock();
    try {
      return partition.highestStarted;
    } finally {
      lock.unlock();
    }
  }

  /** Whether all that is left of the partition waits for something later than the deadline. */
  boolean idleUntil(Partition partition, long deadlineNanos) {
    lock.lock();
    try {
      return partition.running == 0
          && partition.ready.isEmpty()
          && partition.parked.stream().allMatch(work -> work.dueNanos - deadlineNanos > 0);
    } finally {
      lock.unlock();
    }
  }

  /** Nothing of the partition starts any more. */
  void close(Partition partition) {
    lock.lock();
    try {
      partition.closed = true;
      partition.ready.clear();
      partition.lanes.clear();
      partition.parked.clear();
      ready.remove(partition);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Work takeLocked() {
    if (running >= concurrency) {
      return null;
    }
    Partition partition = leastRunning();
    if (partition == null) {
      return null;
    }
    Lane lane = partition.ready.remove();
    ready.remove(partition);
    if (!partition.ready.isEmpty()) {
      ready.addLast(partition);
    }
    Work work = lane.head();
    if (work == null) {
      throw new IllegalStateException("an empty lane was ready");
    }
    running++;
    partition.running++;
    partition.highestStarted = Math.max(partition.highestStarted, work.offset());
    return work;
  }

  private @Nullable Partition leastRunning() {
    Partition least = null;
    for (Partition candidate : ready) {
      if (least == null || candidate.running < least.running) {
        least = candidate;
      }
    }
    return least;
  }

  private void releasePermit(Work work) {
    running--;
    work.partition().running--;
  }

  private void advance(Work work) {
    Partition partition = work.partition();
    Lane lane = work.lane;
    if (partition.closed || lane == null) {
      return;
    }
    if (lane.removeHead() == null) {
      partition.forget(lane);
    } else {
      makeReady(partition, lane);
    }
  }

  private void makeReady(Partition partition, Lane lane) {
    if (!mayStart(partition, lane)) {
      return;
    }
    if (partition.ready.isEmpty()) {
      ready.addLast(partition);
    }
    partition.ready.add(lane);
  }

  private static boolean mayStart(Partition partition, Lane lane) {
    Work head = lane.head();
    return !partition.closed && head != null && head.offset() <= partition.lastToStart;
  }
}
