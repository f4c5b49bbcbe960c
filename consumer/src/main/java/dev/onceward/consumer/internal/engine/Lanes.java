package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Work.Wait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which work starts next: one at a time per key and in offset order, never more than a
 * fixed number at once, and the partition with the least running first, so that a slow one cannot
 * take everything. Thread-safe; every decision is made under one lock, so that after {@link #close}
 * nothing of the partition starts.
 */
final class Lanes {

  private final ReentrantLock lock = new ReentrantLock();
  private final Schedule schedule;

  Lanes(int concurrency, KeylessRecords keyless) {
    this(concurrency, keyless, Set.of(), System::nanoTime);
  }

  /**
   * Creates it.
   *
   * @param inOrder topics whose records have no lanes of their keys, but one for each partition
   * @param nanoTime as {@link System#nanoTime}
   */
  Lanes(int concurrency, KeylessRecords keyless, Set<String> inOrder, LongSupplier nanoTime) {
    this.schedule = new Schedule(concurrency, keyless, Set.copyOf(inOrder), nanoTime);
  }

  /** Queues work of one partition, in offset order. */
  void offer(Partition partition, List<Work> works) {
    locked(() -> works.forEach(work -> schedule.offer(partition, work)));
  }

  /** The first commit of the ownership has arrived: its work may start. */
  void open(Partition partition) {
    locked(() -> schedule.open(partition));
  }

  /** Takes the next work to run, or null when none is ready or all permits are taken. */
  @Nullable Work take() {
    lock.lock();
    try {
      return schedule.take();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes more works to run together with one that was taken, one after another under its permit:
   * the next ready ones, and those behind them in their lanes.
   *
   * @param most how many works to run together at most
   * @return the work itself and what was added, each lane in offset order
   */
  List<Work> takeMore(Work first, int most) {
    return locked(() -> schedule.takeMore(first, most));
  }

  /** The work's record is done: gives the permit back, lets the key go on, and takes the next. */
  @Nullable Work finish(Work work) {
    lock.lock();
    try {
      schedule.releasePermit();
      schedule.finish(work);
      return schedule.take();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a run of works that were taken together: gives their permit back, and takes the next.
   *
   * @param done works that are done; of each lane the first ones, in offset order
   * @param again works that are to run again
   */
  @Nullable Work finishTogether(List<Work> done, List<Work> again) {
    lock.lock();
    try {
      schedule.releasePermit();
      done.forEach(schedule::finish);
      schedule.putBack(again);
      return schedule.take();
    } finally {
      lock.unlock();
    }
  }

  /** The work waits for a retry or an acknowledgement: its key stays taken; takes the next. */
  @Nullable Work park(Work work, Wait waitsFor) {
    lock.lock();
    try {
      schedule.releasePermit();
      schedule.park(work, waitsFor);
      return schedule.take();
    } finally {
      lock.unlock();
    }
  }

  /** The work waits for an event of its key that has not come yet; those behind it go first. */
  @Nullable Work setAside(Work work) {
    lock.lock();
    try {
      schedule.releasePermit();
      schedule.setAside(work);
      return schedule.take();
    } finally {
      lock.unlock();
    }
  }

  /** Work that was taken could not be started: it becomes ready again. */
  void putBack(Work work) {
    locked(
        () -> {
          schedule.releasePermit();
          schedule.putBack(List.of(work));
        });
  }

  /** Parked work, or work set aside, may run again; does nothing when it does already. */
  void resume(Work work) {
    locked(() -> schedule.resume(work));
  }

  /**
   * Parked work is given up, and its dead letter has arrived: lets its key go on.
   *
   * @param exhausted whether it was given up after all its attempts
   */
  void finishParked(Work work, boolean exhausted) {
    locked(() -> schedule.finishParked(work, exhausted));
  }

  /** Whether the record before this one, of the same key, was given up. */
  boolean followsGivenUp(Work work) {
    return locked(() -> work.lane != null && work.lane.givenUp);
  }

  /** From now on starts nothing of these partitions; what runs may finish. */
  void startNoMore(Collection<Partition> partitions) {
    locked(() -> partitions.forEach(schedule::drain));
  }

  /** Whether no handler of the partition runs and none of its dead letters is under way. */
  boolean isIdle(Partition partition) {
    return locked(
        () ->
            partition.running == 0
                && partition.parked.stream().noneMatch(work -> work.waitsFor == Wait.DEAD_LETTER));
  }

  /** Nothing of the partition starts any more; what still runs keeps its key. */
  void close(Partition partition) {
    locked(() -> schedule.close(partition));
  }

  /** What the first unfinished work of a partition waits for. */
  Gate gate(Work work) {
    return locked(() -> schedule.gate(work));
  }

  /** Up to so many heads of lanes that start only once a commit has named them. */
  List<Work> unmarked(Partition partition, int most) {
    return locked(
        () -> {
          List<Work> heads = new ArrayList<>();
          for (Lane lane : partition.unmarked) {
            Work head = lane.head();
            if (head != null && heads.size() < most) {
              heads.add(head);
            }
          }
          return heads;
        });
  }

  /** Whether heads of lanes wait for a commit that names them. */
  boolean hasUnmarked(Partition partition) {
    return locked(() -> !partition.unmarked.isEmpty());
  }

  /** The work starts once a commit has named it, and others beside it. */
  void watch(Work work) {
    locked(() -> schedule.watch(work));
  }

  /** A commit has named the works: they may start. */
  void acquit(Collection<Work> works) {
    locked(() -> works.forEach(schedule::acquit));
  }

  /** Asks or tells about the isolated work, and how much runs; nothing starts meanwhile. */
  void isolating(ObjIntConsumer<Isolation> step) {
    locked(() -> schedule.isolating(step));
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
