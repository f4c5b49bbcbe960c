package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.engine.Work.Wait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
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

  private final Isolation isolation;
  private final Lingering lingering = new Lingering();
  private int running;

  Lanes(int concurrency, KeylessRecords keyless) {
    this(concurrency, keyless, System::nanoTime);
  }

  /** Creates it with a clock of its own, like {@link System#nanoTime}. */
  Lanes(int concurrency, KeylessRecords keyless, LongSupplier nanoTime) {
    this.concurrency = concurrency;
    this.keyless = keyless;
    this.isolation = new Isolation(nanoTime);
  }

  /** Queues work of one partition, in offset order. */
  void offer(Partition partition, List<Work> works) {
    lock.lock();
    try {
      for (Work work : works) {
        Lane lane = laneOf(partition, work);
        if (lane.append(work)) {
          makeReady(partition, lane);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Lane laneOf(Partition partition, Work work) {
    byte @Nullable [] key = work.record().key();
    if (key != null) {
      return partition.lane(Lane.of(key));
    }
    return keyless == KeylessRecords.UNORDERED
        ? partition.lane(Lane.ofOne(work.offset()))
        : partition.keylessLane();
  }

  /** The first commit of the ownership has arrived: its work may start. */
  void open(Partition partition) {
    locked(
        () -> {
          partition.open = true;
          partition.beforeOpen.forEach(lane -> makeReady(partition, lane));
          partition.beforeOpen.clear();
        });
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
      advance(work, false);
      return takeLocked();
    } finally {
      lock.unlock();
    }
  }

  /** The work waits for a retry or an acknowledgement: its key stays taken; takes the next. */
  @Nullable Work park(Work work, Wait waitsFor) {
    lock.lock();
    try {
      releasePermit(work);
      work.waitsFor = waitsFor;
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
      running--;
      work.partition().running--;
      work.taken = false;
      Partition partition = work.partition();
      Lane lane = work.lane;
      if (isolation.is(work)) {
        isolation.putBack(work);
      } else if (lane != null) {
        makeReady(partition, lane);
      }
      if (partition.closed) {
        lingering.returned(work, this::makeReady);
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
      work.waitsFor = Wait.NOTHING;
      work.partition().parked.remove(work);
      if (lane != null) {
        makeReady(work.partition(), lane);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Parked work is given up, and its dead letter has arrived: lets its key go on.
   *
   * @param exhausted whether it was given up after all its attempts
   */
  void finishParked(Work work, boolean exhausted) {
    lock.lock();
    try {
      work.waitsFor = Wait.NOTHING;
      work.partition().parked.remove(work);
      advance(work, exhausted);
    } finally {
      lock.unlock();
    }
  }

  /** Whether the record before this one, of the same key, was given up. */
  boolean followsGivenUp(Work work) {
    return locked(() -> work.lane != null && work.lane.givenUp);
  }

  /** From now on starts nothing of these partitions; what runs may finish. */
  void startNoMore(Collection<Partition> partitions) {
    locked(
        () -> {
          partitions.forEach(this::drain);
        });
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
    locked(
        () -> {
          drain(partition);
          partition.closed = true;
          keepRunning(partition.keylessLane());
          partition.lanes.keySet().forEach(this::keepRunning);
          partition.lanes.clear();
          partition.parked.clear();
        });
  }

  private void drain(Partition partition) {
    partition.draining = true;
    partition.ready.clear();
    partition.unmarked.clear();
    partition.beforeOpen.clear();
    isolation.drop(partition);
    ready.remove(partition);
  }

  private void keepRunning(Lane lane) {
    Work head = lane.head();
    if (head != null && head.taken) {
      lingering.add(lane, head);
    }
  }

  /** What the first unfinished work of a partition waits for. */
  Gate gate(Work work) {
    return locked(
        () -> {
          Lane lane = work.lane;
          if (work.taken) {
            return Gate.HANDLER;
          }
          if (work.waitsFor != Wait.NOTHING) {
            return work.waitsFor == Wait.RETRY ? Gate.RETRY : Gate.DEAD_LETTER;
          }
          if (lane != null && (lane.head() != work || lingering.holds(work.partition(), lane))) {
            return Gate.KEY;
          }
          boolean marked = work.suspicion == Suspicion.NONE && work.partition().open;
          return marked && !isolation.isTaken() ? Gate.PERMIT : Gate.START_MARK;
        });
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
    locked(
        () -> {
          work.suspicion = Suspicion.WATCHED;
          Lane lane = work.lane;
          if (lane != null) {
            makeReady(work.partition(), lane);
          }
        });
  }

  /** A commit has named the work: it may start. */
  void acquit(Collection<Work> works) {
    locked(
        () -> {
          for (Work work : works) {
            work.suspicion = Suspicion.NONE;
            Lane lane = work.lane;
            if (lane != null && work.partition().unmarked.remove(lane)) {
              makeReady(work.partition(), lane);
            }
          }
        });
  }

  /** Asks or tells about the isolated work, and how much runs; nothing starts meanwhile. */
  void isolating(ObjIntConsumer<Isolation> step) {
    locked(() -> step.accept(isolation, running));
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

  private @Nullable Work takeLocked() {
    if (running >= concurrency) {
      return null;
    }
    Work work = isolation.isTaken() ? isolation.start() : nextReady();
    if (work == null) {
      return null;
    }
    running++;
    work.partition().running++;
    work.taken = true;
    return work;
  }

  private @Nullable Work nextReady() {
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
    work.taken = false;
    // it has run, and the process lives
    work.suspicion = Suspicion.NONE;
    isolation.ended(work);
    if (work.partition().closed) {
      lingering.returned(work, this::makeReady);
    }
  }

  private void advance(Work work, boolean exhausted) {
    Partition partition = work.partition();
    Lane lane = work.lane;
    if (partition.closed || lane == null) {
      return;
    }
    // records without a key have nothing to do with each other
    lane.givenUp = exhausted && lane.isKeyed();
    if (lane.removeHead() == null) {
      partition.forget(lane);
    } else {
      makeReady(partition, lane);
    }
  }

  private void makeReady(Partition partition, Lane lane) {
    Work head = lane.head();
    if (head == null || partition.draining || lingering.holds(partition, lane)) {
      return;
    }
    if (!partition.open) {
      partition.beforeOpen.add(lane);
    } else if (head.suspicion == Suspicion.ACCUSED) {
      isolation.add(head);
    } else if (head.suspicion == Suspicion.WATCHED) {
      partition.unmarked.add(lane);
    } else {
      if (partition.ready.isEmpty()) {
        ready.addLast(partition);
      }
      partition.ready.add(lane);
    }
  }
}
