package dev.onceward.consumer.internal.engine;

import dev.onceward.tracing.KeyHash;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names the work that holds up the commits of its partition for long, so that nothing waits without
 * saying so. Confined to the poll thread.
 */
final class Watch {

  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final Problems problems;
  private final long longNanos;
  private Set<String> raised = new HashSet<>();
  private long lastNanos = System.nanoTime();

  /**
   * Creates it.
   *
   * @param tooLong how long work may be under way before it is named
   */
  Watch(Problems problems, Duration tooLong) {
    this.problems = problems;
    this.longNanos = tooLong.toNanos();
  }

  /** Looks at the first unfinished work of each partition, once a second at most. */
  void look(Collection<Partition> partitions) {
    long now = System.nanoTime();
    if (now - lastNanos < LOOK_EVERY_NANOS) {
      return;
    }
    lastNanos = now;
    Set<String> slow = new HashSet<>();
    for (Partition partition : partitions) {
      Work head = partition.progress().firstUnfinished();
      if (head != null && head.isStarted() && now - head.startedNanos() > longNanos) {
        String subject = partition.id().toString();
        slow.add(subject);
        problems.raise(subject, describe(head, now));
      }
    }
    raised.stream().filter(subject -> !slow.contains(subject)).forEach(problems::clear);
    raised = slow;
  }

  private static String describe(Work head, long now) {
    byte @Nullable [] key = head.record().key();
    return "offset "
        + head.offset()
        + " (key hash "
        + KeyHash.of(key)
        + ", attempt "
        + head.attempt()
        + ") is not done "
        + Duration.ofNanos(now - head.startedNanos()).toSeconds()
        + " s after it began: "
        + (head.isRunning() ? "its handler runs" : "it waits for a retry or its dead letter")
        + "; commits of the partition wait behind it";
  }
}
