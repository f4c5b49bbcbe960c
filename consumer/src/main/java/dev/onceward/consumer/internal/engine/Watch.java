package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.HeldPartition;
import dev.onceward.consumer.HeldPartition.Gate;
import dev.onceward.tracing.KeyHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Names the record that holds up the commits of its partition for long, and what it waits for, so
 * that nothing waits without saying so. Confined to the poll thread, but for {@link #held}.
 */
final class Watch {

  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final Lanes lanes;
  private final Problems problems;
  private final Duration tooLong;
  private Set<String> raised = new HashSet<>();
  private long lastNanos = System.nanoTime();
  private volatile List<HeldPartition> held = List.of();

  /**
   * Creates it.
   *
   * @param tooLong how long a record may be the first that is not done before it is named
   */
  Watch(Lanes lanes, Problems problems, Duration tooLong) {
    this.lanes = lanes;
    this.problems = problems;
    this.tooLong = tooLong;
  }

  /** The partitions that were held at the last look; any thread. */
  List<HeldPartition> held() {
    return held;
  }

  /** Looks at the first unfinished record of each partition, once a second at most. */
  void look(Collection<Partition> partitions) {
    long now = System.nanoTime();
    if (now - lastNanos < LOOK_EVERY_NANOS) {
      return;
    }
    lastNanos = now;
    List<HeldPartition> found = new ArrayList<>();
    Set<String> subjects = new HashSet<>();
    for (Partition partition : partitions) {
      Work head = partition.progress().firstUnfinished();
      Duration age = Duration.ofNanos(now - partition.progress().headSinceNanos());
      if (head != null && age.compareTo(tooLong) > 0) {
        HeldPartition holds = held(partition, head, age);
        found.add(holds);
        subjects.add(partition.id().toString());
        problems.raise(partition.id().toString(), describe(holds, partition));
      }
    }
    raised.stream()
        .filter(subject -> !subjects.contains(subject))
        .forEach(subject -> problems.clear(subject, "no longer held up"));
    raised = subjects;
    held = List.copyOf(found);
  }

  private HeldPartition held(Partition partition, Work head, Duration age) {
    return new HeldPartition(
        partition.id().topic(),
        partition.id().partition(),
        head.offset(),
        KeyHash.of(head.record().key()),
        head.attempt(),
        age,
        lanes.gate(head));
  }

  private static String describe(HeldPartition held, Partition partition) {
    return "offset "
        + held.offset()
        + " (key hash "
        + held.keyHash()
        + ", attempt "
        + held.attempt()
        + ") has held up the commits of the partition for "
        + held.age().toSeconds()
        + " s: "
        + reason(held.gate())
        + "; "
        + partition.progress().unfinished()
        + " records are in flight"
        + (partition.paused() ? ", and no more are read" : "");
  }

  private static String reason(Gate gate) {
    return switch (gate) {
      case HANDLER -> "its handler runs";
      case RETRY -> "it has failed and waits for its next attempt";
      case DEAD_LETTER -> "it waits for the acknowledgement of its dead letter";
      case VERSION_GAP -> "the version of its entity before its own has not been applied";
      case FENCE -> "the inbox's database has not given the fence of the partition yet";
      case PERMIT -> "as many handlers run as may run at once";
      case START_MARK ->
          "it waits for the commit before its start, or for a record that runs alone because an"
              + " owner died";
      case KEY -> "a handler of its key does not return, deaf to its interrupt";
    };
  }
}
