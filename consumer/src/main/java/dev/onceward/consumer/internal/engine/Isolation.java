package dev.onceward.consumer.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one work that runs with nothing beside it, because it was running when a process died: if the
 * process dies again, it is known why. Guarded by the lock of {@link Lanes}.
 */
final class Isolation {

  private enum Phase {
    /** Nobody is isolated. */
    FREE,
    /** What runs goes on, nothing new starts. */
    RESERVED,
    /** A commit says so; it may start. */
    GRANTED,
    RUNNING,
    /** It has run; nothing starts until a commit says that it is over. */
    ENDED
  }

  private final LongSupplier nanoTime;
  private final Deque<Work> waiting = new ArrayDeque<>();
  private Phase phase = Phase.FREE;
  private @Nullable Work isolated;
  private long sinceNanos;

  /**
   * Creates it, with nobody isolated.
   *
   * @param nanoTime as {@link System#nanoTime}
   */
  Isolation(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The head of a lane that must run alone. */
  void add(Work work) {
    waiting.add(work);
  }

  boolean isEmpty() {
    return phase == Phase.FREE && waiting.isEmpty();
  }

  /** Whether nothing but the isolated work may start. */
  boolean isTaken() {
    return phase != Phase.FREE;
  }

  boolean is(Work work) {
    return isolated == work;
  }

  /** Chooses the next one, when the place is free or about to be. */
  void reserve() {
    if ((phase == Phase.FREE || phase == Phase.ENDED) && !waiting.isEmpty()) {
      become(Phase.RESERVED, waiting.remove());
    }
  }

  /** The one that waits for its commit, or null. */
  @Nullable Work reserved() {
    return phase == Phase.RESERVED ? isolated : null;
  }

  /** The commit that names it has arrived. */
  void grant(Work work) {
    if (phase == Phase.RESERVED && isolated == work) {
      become(Phase.GRANTED, work);
    }
  }

  /** Takes the one that may start, or null. */
  @Nullable Work start() {
    Work work = isolated;
    if (phase != Phase.GRANTED || work == null) {
      return null;
    }
    become(Phase.RUNNING, work);
    return work;
  }

  /** It could not be started after all; and never will be when its partition goes. */
  void putBack(Work work) {
    if (work.partition().draining) {
      free();
    } else {
      become(Phase.GRANTED, work);
    }
  }

  /** The work has run, for better or worse. */
  void ended(Work work) {
    if (isolated == work) {
      become(work.partition().closed ? Phase.FREE : Phase.ENDED, null);
    }
  }

  boolean hasEnded() {
    return phase == Phase.ENDED;
  }

  /** The one that runs, or null. */
  @Nullable Work running() {
    return phase == Phase.RUNNING ? isolated : null;
  }

  /** How long it has been reserved, or has been running. */
  long nanosInPhase(long now) {
    return now - sinceNanos;
  }

  /** A commit says that nobody is isolated any more. */
  void free() {
    become(Phase.FREE, null);
  }

  /** The partition is gone, or starts no more. */
  void drop(Partition partition) {
    waiting.removeIf(work -> work.partition() == partition);
    Work work = isolated;
    if (work != null && work.partition() == partition && phase != Phase.RUNNING) {
      free();
    }
  }

  private void become(Phase next, @Nullable Work work) {
    phase = next;
    isolated = work;
    sinceNanos = nanoTime.getAsLong();
  }
}
