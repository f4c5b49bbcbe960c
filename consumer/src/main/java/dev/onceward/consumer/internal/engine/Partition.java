package dev.onceward.consumer.internal.engine;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One ownership of a partition, from its assignment until it is revoked or lost. A later ownership
 * of the same partition is another object, so results of this one can not reach that one.
 */
final class Partition {

  private final TopicPartition id;
  private final Progress progress;

  // the poll thread
  private boolean paused;

  // the rest is guarded by the lock of Lanes
  final Map<Lane, Lane> lanes = new HashMap<>();
  private final Lane keyless = Lane.keyless();
  final Queue<Lane> ready = new ArrayDeque<>();
  final Set<Work> parked = new HashSet<>();
  int running;
  long highestStarted = -1;
  long lastToStart = Long.MAX_VALUE;
  boolean closed;

  Partition(TopicPartition id) {
    this.id = id;
    this.progress = new Progress();
  }

  TopicPartition id() {
    return id;
  }

  /** Touched by the poll thread only. */
  Progress progress() {
    return progress;
  }

  boolean paused() {
    return paused;
  }

  void paused(boolean paused) {
    this.paused = paused;
  }

  /** The lane of all records without a key; not the one of an empty key. */
  Lane keylessLane() {
    return keyless;
  }

  /** The lane of the key, made when there is none. */
  Lane lane(Lane probe) {
    @Nullable Lane existing = lanes.putIfAbsent(probe, probe);
    return existing == null ? probe : existing;
  }

  /** Drops an empty lane. */
  void forget(Lane lane) {
    if (lane.isKeyed()) {
      lanes.remove(lane);
    }
  }
}
