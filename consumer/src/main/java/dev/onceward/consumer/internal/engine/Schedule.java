package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.engine.Work.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/** The rules by which work starts. Guarded by the lock of {@link Lanes}. */
final class Schedule {

  private final int concurrency;
  private final KeylessRecords keyless;
  private final Set<String> inOrder;
  private final ReadyLanes ready = new ReadyLanes();
  private final Isolation isolation;
  private final Lingering lingering = new Lingering();

  /** Permits that are taken; works that run together need one. */
  private int running;

  Schedule(int concurrency, KeylessRecords keyless, Set<String> inOrder, LongSupplier nanoTime) {
    this.concurrency = concurrency;
    this.inOrder = inOrder;
    this.keyless = keyless;
    this.isolation = new Isolation(nanoTime);
  }

  void offer(Partition partition, Work work) {
    Lane lane = laneOf(partition, work);
    if (lane.append(work)) {
      makeReady(partition, lane);
    }
  }

  private Lane laneOf(Partition partition, Work work) {
    if (inOrder.contains(partition.id().topic())) {
      return partition.keylessLane();
    }
    byte @Nullable [] key = work.record().key();
    if (key != null) {
      return partition.lane(Lane.of(key));
    }
    return keyless == KeylessRecords.UNORDERED
        ? partition.lane(Lane.ofOne(work.offset()))
        : partition.keylessLane();
  }

  void open(Partition partition) {
    partition.open = true;
    partition.beforeOpen.forEach(lane -> makeReady(partition, lane));
    partition.beforeOpen.clear();
  }

  /** Takes the next work and a permit. */
  @Nullable Work take() {
    if (running >= concurrency) {
      return null;
    }
    Work work = isolation.isTaken() ? isolation.start() : ready.next();
    if (work == null) {
      return null;
    }
    running++;
    take(work);
    return work;
  }

  private static void take(Work work) {
    work.partition().running++;
    work.taken = true;
  }

  /** Takes what may run together with the first, which has the permit. */
  List<Work> takeMore(Work first, int most) {
    List<Work> together = new ArrayList<>();
    together.add(first);
    if (first.isShareable() && !isolation.isTaken()) {
      addHeads(together, most);
      addFollowers(together, most);
    }
    return together;
  }

  /** Of the ready ones no more than a share: others have permits too. */
  private void addHeads(List<Work> together, int most) {
    int free = Math.max(0, concurrency - running);
    int share = Math.min(most - 1, ready.count() / (free + 1));
    for (int i = 0; i < share; i++) {
      Work work = ready.next();
      if (work == null) {
        return;
      }
      if (!work.isShareable()) {
        ready.undo(work);
        return;
      }
      take(work);
      together.add(work);
    }
  }

  /** What is behind them in their lanes cannot run anywhere else. */
  private static void addFollowers(List<Work> together, int most) {
    for (int i = 0; i < together.size() && together.size() < most; i++) {
      Work follower = together.get(i).next;
      if (follower != null && follower.isShareable() && !follower.partition().draining) {
        take(follower);
        together.add(follower);
      }
    }
  }

  /** The work has run. */
  void finish(Work work) {
    release(work);
    Lane lane = work.lane;
    if (lane != null && !work.partition().closed) {
      // it may be what those aside have waited for
      lane.bringBack().forEach(Schedule::waitNoMore);
    }
    advance(work, false);
  }

  /** The work waits for an event of its key that has not come yet: those behind it go first. */
  void setAside(Work work) {
    release(work);
    Lane lane = work.lane;
    Partition partition = work.partition();
    if (partition.closed || lane == null) {
      return;
    }
    work.waitsFor = Wait.VERSION_GAP;
    partition.parked.add(work);
    lane.setAside(work);
    goOn(partition, lane);
  }

  void park(Work work, Wait waitsFor) {
    release(work);
    work.waitsFor = waitsFor;
    if (!work.partition().closed) {
      work.partition().parked.add(work);
    }
  }

  /** Work that has not run, or whose run does not count, becomes ready again. */
  void putBack(List<Work> works) {
    for (Work work : works) {
      work.taken = false;
      work.partition().running--;
    }
    // all of them before any lane becomes ready, for several may be of one lane
    works.forEach(this::readyAgain);
  }

  private void readyAgain(Work work) {
    Partition partition = work.partition();
    Lane lane = work.lane;
    if (isolation.is(work)) {
      isolation.putBack(work);
    } else if (lane != null && lane.head() == work) {
      makeReady(partition, lane);
    }
    if (partition.closed) {
      lingering.returned(work, this::makeReady);
    }
  }

  /** Gives a permit back. */
  void releasePermit() {
    running--;
  }

  void resume(Work work) {
    Lane lane = work.lane;
    boolean aside = work.waitsFor == Wait.VERSION_GAP;
    if (lane == null || work.waitsFor == Wait.NOTHING) {
      return;
    }
    boolean wasIdle = lane.head() == null;
    if (aside && !lane.bringBack(work)) {
      return;
    }
    waitNoMore(work);
    if (!aside || wasIdle) {
      makeReady(work.partition(), lane);
    }
  }

  private static void waitNoMore(Work work) {
    work.waitsFor = Wait.NOTHING;
    work.partition().parked.remove(work);
  }

  void finishParked(Work work, boolean exhausted) {
    waitNoMore(work);
    advance(work, exhausted);
  }

  void drain(Partition partition) {
    partition.draining = true;
    ready.drop(partition);
    partition.unmarked.clear();
    partition.beforeOpen.clear();
    isolation.drop(partition);
  }

  void close(Partition partition) {
    drain(partition);
    partition.closed = true;
    keepRunning(partition.keylessLane());
    partition.lanes.keySet().forEach(this::keepRunning);
    partition.lanes.clear();
    partition.parked.clear();
  }

  private void keepRunning(Lane lane) {
    Work head = lane.head();
    if (head != null && head.taken) {
      lingering.add(lane, head);
    }
  }

  Gate gate(Work work) {
    Lane lane = work.lane;
    if (work.taken) {
      return Gate.HANDLER;
    }
    if (work.waitsFor != Wait.NOTHING) {
      return switch (work.waitsFor) {
        case RETRY -> Gate.RETRY;
        case VERSION_GAP -> Gate.VERSION_GAP;
        case DEAD_LETTER, NOTHING -> Gate.DEAD_LETTER;
      };
    }
    if (lane != null && (lane.head() != work || lingering.holds(work.partition(), lane))) {
      return Gate.KEY;
    }
    if (work.partition().awaitsFence()) {
      return Gate.FENCE;
    }
    boolean marked = work.suspicion == Suspicion.NONE && work.partition().open;
    return marked && !isolation.isTaken() ? Gate.PERMIT : Gate.START_MARK;
  }

  void watch(Work work) {
    work.suspicion = Suspicion.WATCHED;
    Lane lane = work.lane;
    if (lane != null) {
      makeReady(work.partition(), lane);
    }
  }

  void acquit(Work work) {
    work.suspicion = Suspicion.NONE;
    Lane lane = work.lane;
    if (lane != null && work.partition().unmarked.remove(lane)) {
      makeReady(work.partition(), lane);
    }
  }

  void isolating(ObjIntConsumer<Isolation> step) {
    step.accept(isolation, running);
  }

  private void release(Work work) {
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
    lane.remove(work);
    goOn(partition, lane);
  }

  private void goOn(Partition partition, Lane lane) {
    Work next = lane.head();
    if (lane.isEmpty()) {
      partition.forget(lane);
    } else if (next != null && !next.taken && next.waitsFor == Wait.NOTHING) {
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
      ready.add(partition, lane);
    }
  }
}
