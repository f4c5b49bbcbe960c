package dev.onceward.it.guarantee;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.apache.kafka.common.TopicPartition;

/**
 * Per-key ordering, retries and redelivery included. Of the records r1, r2, ... of one key in one
 * partition:
 *
 * <ul>
 *   <li>The first run of r(n+1) begins only after r(n) is finished: a run of it has succeeded, or
 *       its dead letter has been written. So all attempts at one record come before the first at
 *       the next, in whatever members they run, and the first successes are in the order of
 *       publication.
 *   <li>Redelivery may go back: after it a record that was finished may run again, and so may those
 *       after it. It never brings a record before its predecessors were finished once: {@code r1 r2
 *       r1 r2 r3} is in order, {@code r1 r3 r2} and {@code r1 r3 r1 r2 r3} are not.
 *   <li>Records of different keys, partitions or topics have no order.
 * </ul>
 *
 * <p>A predecessor that the broker dropped (topic cut off, compaction) is not waited for; but when
 * it was begun late, after its successor, that is a breach all the same.
 */
final class PerKeyOrder implements Guarantee {

  /** A record that was not finished when a later one of its lane began. */
  private record PassedOver(Lane lane, int seq, String by, long millis) {}

  private final Deliveries deliveries;
  private final Published published;
  private final Letters letters;
  private final BiPredicate<TopicPartition, Long> remaining;

  /** For each lane: the numbers below it have been looked at. */
  private final Map<Lane, Integer> judgedBelow = new HashMap<>();

  /** For each lane the offsets of the numbers that have begun. */
  private final Map<Lane, Column> offsets = new HashMap<>();

  private final List<PassedOver> passedOver = new ArrayList<>();

  PerKeyOrder(
      Deliveries deliveries,
      Published published,
      Letters letters,
      BiPredicate<TopicPartition, Long> remaining) {
    this.deliveries = deliveries;
    this.published = published;
    this.letters = letters;
    this.remaining = remaining;
  }

  @Override
  public void begun(Run run) {
    if (run.plan.aborted()) {
      return;
    }
    int seq = run.plan.seq();
    Column offsetOf = offsets.computeIfAbsent(run.lane, l -> new Column());
    // plus one: zero says that it has not begun
    offsetOf.set(seq, Math.toIntExact(run.offset + 1));
    for (int before = judgedBelow.getOrDefault(run.lane, 0); before < seq; before++) {
      if (!isFinished(run.lane, offsetOf, before)) {
        passedOver.add(
            new PassedOver(run.lane, before, run.toString(), System.currentTimeMillis()));
      }
    }
    // it is itself looked at when the next one begins
    judgedBelow.merge(run.lane, seq, Math::max);
  }

  private boolean isFinished(Lane lane, Column offsetOf, int seq) {
    int offset = offsetOf.get(seq);
    return offset > 0 && deliveries.isFinished(lane.partition(), offset - 1);
  }

  @Override
  public void check(Findings findings) {
    for (PassedOver one : passedOver) {
      long offset = published.offset(one.lane(), one.seq());
      if (offset < 0) {
        findings.breach(this, one + " was never published");
      } else if (deliveries.isFinished(one.lane().partition(), offset)) {
        findings.breach(this, one + " at offset " + offset + " succeeded later");
      } else if (letters.contain(one.lane().partition(), offset)) {
        if (letters.writtenAt(one.lane().partition(), offset) > one.millis()) {
          findings.breach(this, one + " at offset " + offset + " was dead-lettered later");
        }
      } else if (remaining.test(one.lane().partition(), offset)) {
        findings.breach(this, one + " at offset " + offset + " was left out");
      }
    }
  }

  /** How often a record began while its predecessor had no success: given up, or dropped. */
  int passedOver() {
    return passedOver.size();
  }
}
