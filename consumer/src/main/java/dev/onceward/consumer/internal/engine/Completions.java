package dev.onceward.consumer.internal.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Carries done work from whatever thread did it to the poll thread. Thread-safe. */
final class Completions {

  private final Queue<Work> queue = new ConcurrentLinkedQueue<>();

  void add(Work work) {
    queue.add(work);
  }

  /** Hands over what has arrived; the poll thread only. */
  void drainTo(Consumer<Work> action) {
    Work work = queue.poll();
    while (work != null) {
      action.accept(work);
      work = queue.poll();
    }
  }
}
