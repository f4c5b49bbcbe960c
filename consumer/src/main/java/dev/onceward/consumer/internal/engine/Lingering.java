package dev.onceward.consumer.internal.engine;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Handlers that still run although their partition is gone, deaf to the interrupt. When the
 * partition comes back, their keys wait for them. Guarded by the lock of {@link Lanes}.
 */
final class Lingering {

  private record Place(TopicPartition partition, Lane lane) {}

  /** A handler, and the lane of a later ownership that waits for it. */
  private static final class Handler {
    private final Work work;
    private @Nullable Partition partition;
    private @Nullable Lane lane;

    Handler(Work work) {
      this.work = work;
    }
  }

  private final Map<Place, Handler> handlers = new HashMap<>();

  /** The work goes on in its lane although its partition is gone. */
  void add(Lane lane, Work work) {
    handlers.put(new Place(work.partition().id(), lane), new Handler(work));
  }

  /** Whether the lane has to wait; it is made ready by {@link #returned} then. */
  boolean holds(Partition partition, Lane lane) {
    if (handlers.isEmpty()) {
      return false;
    }
    Handler handler = handlers.get(new Place(partition.id(), lane));
    if (handler == null) {
      return false;
    }
    handler.partition = partition;
    handler.lane = lane;
    return true;
  }

  /** The handler has returned; {@code next} gets the lane that waits for it, if one does. */
  void returned(Work work, LaneAction next) {
    if (handlers.isEmpty()) {
      return;
    }
    Handler found = null;
    for (Handler handler : handlers.values()) {
      if (handler.work == work) {
        found = handler;
      }
    }
    if (found == null) {
      return;
    }
    Handler gone = found;
    handlers.values().remove(gone);
    Partition partition = gone.partition;
    Lane lane = gone.lane;
    if (partition != null && lane != null) {
      next.accept(partition, lane);
    }
  }

  /** What to do with a lane of a partition. */
  @FunctionalInterface
  interface LaneAction {
    void accept(Partition partition, Lane lane);
  }
}
