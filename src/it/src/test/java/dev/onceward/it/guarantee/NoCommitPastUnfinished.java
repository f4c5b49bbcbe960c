package dev.onceward.it.guarantee;

import dev.onceward.it.guarantee.Published.Fate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.apache.kafka.common.TopicPartition;

/**
 * No commit past unfinished work: at any time the committed offset of a partition is not above the
 * lowest record that is neither handled nor on the dead-letter topic. It is looked at from outside,
 * several times a second, and each record is judged by what had happened when the offset was read.
 * The committed offset never goes back either.
 */
final class NoCommitPastUnfinished implements Guarantee {

  /** A record that was not known to be finished when a higher offset was seen committed. */
  private record Passed(TopicPartition partition, long offset, long committed) {}

  private final Deliveries deliveries;
  private final Published published;
  private final Letters letters;
  private final BiPredicate<TopicPartition, Long> remaining;
  private final Map<TopicPartition, Long> seen = new HashMap<>();
  private final List<Passed> passed = new ArrayList<>();
  private final List<String> wentBack = new ArrayList<>();
  private long observations;

  NoCommitPastUnfinished(
      Deliveries deliveries,
      Published published,
      Letters letters,
      BiPredicate<TopicPartition, Long> remaining) {
    this.deliveries = deliveries;
    this.published = published;
    this.letters = letters;
    this.remaining = remaining;
  }

  /** Told of an offset as soon as it was seen. One thread at a time. */
  void committed(TopicPartition partition, long committed) {
    long before = seen.getOrDefault(partition, 0L);
    observations++;
    if (committed < before) {
      wentBack.add("%s went back from %d to %d".formatted(partition, before, committed));
    }
    List<Passed> suspects = new ArrayList<>();
    for (long offset = before; offset < committed; offset++) {
      if (!deliveries.isFinished(partition, offset)) {
        suspects.add(new Passed(partition, offset, committed));
      }
    }
    if (!suspects.isEmpty()) {
      letters.catchUp();
      suspects.removeIf(suspect -> letters.contain(partition, suspect.offset()));
      passed.addAll(suspects);
    }
    seen.merge(partition, committed, Math::max);
  }

  long observations() {
    return observations;
  }

  @Override
  public void check(Findings findings) {
    for (Passed one : passed) {
      Fate fate = published.fate(one.partition(), one.offset());
      // what is no record of ours, or was dropped by the broker, needs no work
      if ((fate == Fate.HANDLED || fate == Fate.DEAD_LETTERED)
          && remaining.test(one.partition(), one.offset())) {
        findings.breach(this, one + " was not finished");
      }
    }
    wentBack.forEach(one -> findings.breach(this, one));
  }
}
