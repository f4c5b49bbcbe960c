package dev.onceward.it.guarantee;

import dev.onceward.it.guarantee.Published.Fate;
import java.util.function.BiPredicate;
import org.apache.kafka.common.TopicPartition;

/**
 * At-least-once delivery: every record that was published, and not aborted, is at the end either
 * handled (a run of it ended with its effect committed) or dead-lettered. None is lost, and none is
 * given up that would have succeeded: what must be handled lies on no dead-letter topic. Records
 * that the broker itself no longer holds (topic cut off, compaction) are not owed.
 *
 * <p>Under {@code read_committed} no record of an aborted transaction is delivered at all.
 */
final class AtLeastOnce implements Guarantee {

  private final Deliveries deliveries;
  private final Published published;
  private final Letters letters;
  private final BiPredicate<TopicPartition, Long> remaining;
  private final boolean readCommitted;
  private long aborted;

  AtLeastOnce(
      Deliveries deliveries,
      Published published,
      Letters letters,
      BiPredicate<TopicPartition, Long> remaining,
      boolean readCommitted) {
    this.deliveries = deliveries;
    this.published = published;
    this.letters = letters;
    this.remaining = remaining;
    this.readCommitted = readCommitted;
  }

  @Override
  public void begun(Run run) {
    if (run.plan.aborted()) {
      aborted++;
    }
  }

  @Override
  public void check(Findings findings) {
    published.forEach(
        (partition, offset, fate) -> {
          boolean letter = letters.contain(partition, offset);
          String where = partition + "@" + offset;
          if (fate == Fate.HANDLED) {
            if (!deliveries.isFinished(partition, offset)
                && (letter || remaining.test(partition, offset))) {
              findings.breach(
                  this,
                  "%s was %s after %d runs"
                      .formatted(
                          where,
                          letter ? "dead-lettered" : "lost",
                          deliveries.runs(partition, offset)));
            } else if (letter) {
              findings.breach(this, where + " was dead-lettered although it succeeded");
            }
          } else if (fate == Fate.DEAD_LETTERED && !letter && remaining.test(partition, offset)) {
            findings.breach(
                this,
                "%s was lost after %d runs: no dead letter"
                    .formatted(where, deliveries.runs(partition, offset)));
          }
        });
    if (readCommitted && aborted > 0) {
      findings.breach(this, aborted + " runs of records of aborted transactions");
    }
  }
}
