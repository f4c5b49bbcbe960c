package dev.onceward.consumer.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The lanes whose head may start, by partition: the partition with the least running comes first,
 * so that a slow one cannot take everything. Guarded by the lock of {@link Lanes}.
 */
final class ReadyLanes {

  /** Partitions with ready lanes, each once. */
  private final Deque<Partition> partitions = new ArrayDeque<>();

  private int count;

  /** Does nothing when the lane is ready already. */
  void add(Partition partition, Lane lane) {
    if (lane.ready) {
      return;
    }
    if (partition.ready.isEmpty()) {
      partitions.addLast(partition);
    }
    partition.ready.addLast(lane);
    lane.ready = true;
    count++;
  }

  /** Takes the next lane and returns its head, or null when none is ready. */
  @Nullable Work next() {
    Partition partition = leastRunning();
    if (partition == null) {
      return null;
    }
    Lane lane = partition.ready.removeFirst();
    lane.ready = false;
    count--;
    partitions.remove(partition);
    if (!partition.ready.isEmpty()) {
      partitions.addLast(partition);
    }
    Work work = lane.head();
    if (work == null) {
      throw new IllegalStateException("an empty lane was ready");
    }
    return work;
  }

  /**
   * The work that {@link #next} returned last is the next one again: at the end of a long queue it
   * might be passed over for ever.
   */
  void undo(Work work) {
    Partition partition = work.partition();
    Lane lane = work.lane;
    if (lane == null) {
      return;
    }
    partitions.remove(partition);
    partitions.addFirst(partition);
    partition.ready.addFirst(lane);
    lane.ready = true;
    count++;
  }

  /** Nothing of the partition starts any more. */
  void drop(Partition partition) {
    count -= partition.ready.size();
    partition.ready.forEach(lane -> lane.ready = false);
    partition.ready.clear();
    partitions.remove(partition);
  }

  /** How many lanes are ready. */
  int count() {
    return count;
  }

  private @Nullable Partition leastRunning() {
    Partition least = null;
    for (Partition candidate : partitions) {
      if (least == null || candidate.running < least.running) {
        least = candidate;
      }
    }
    return least;
  }
}
