package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.NoteCodec;
import dev.onceward.consumer.internal.offsets.NoteContent;
import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Reads what earlier owners have left beside their offsets. Confined to the poll thread. */
final class CommittedNotes {

  private static final Logger log = ConsumerLog.log;
  private static final String SUBJECT = "committed offsets";

  private static final Duration LEAST = Duration.ofSeconds(1);
  private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

  /** Reading has no limit of its own; what is not sent may be longer than a broker takes. */
  private final NoteCodec codec = new NoteCodec(16 * 1024);

  private final DeliverySource source;
  private final Problems problems;
  private final Duration budget;

  /**
   * Creates it.
   *
   * @param budget how long an assignment waits for what is a hint, if more than a second; the
   *     membership must survive it
   */
  CommittedNotes(DeliverySource source, Problems problems, Duration budget) {
    this.source = source;
    this.problems = problems;
    this.budget = budget.compareTo(LEAST) < 0 ? LEAST : budget;
  }

  /**
   * The notes of these partitions; one without a note is missing.
   *
   * @param own tells what this very process has written
   */
  Map<TopicPartition, CommitNote> of(Set<TopicPartition> partitions, OwnNotes own) {
    Map<TopicPartition, CommitNote> notes = new HashMap<>();
    read(partitions)
        .forEach(
            (partition, committed) -> {
              CommitNote read = noteOf(committed);
              CommitNote note = own.isLast(partition, committed) ? read.withoutDeath() : read;
              if (note != CommitNote.NONE) {
                log.debug("{} from offset {}: {}", partition, committed.offset(), note);
                notes.put(partition, note);
              }
            });
    return notes;
  }

  /** What an owner knows at present, as the next one would read it. */
  CommitNote of(NoteContent content) {
    return codec.decode(content.base(), codec.encode(content).text());
  }

  private CommitNote noteOf(@Nullable OffsetAndMetadata committed) {
    return committed == null
        ? CommitNote.NONE
        : codec.decode(committed.offset(), committed.metadata());
  }

  private Map<TopicPartition, OffsetAndMetadata> read(Set<TopicPartition> partitions) {
    long deadline = System.nanoTime() + budget.toNanos();
    while (true) {
      try {
        Map<TopicPartition, OffsetAndMetadata> committed =
            source.committed(partitions, budget.dividedBy(2));
        problems.clear(SUBJECT);
        return committed;
      } catch (RetriableException | RebalanceInProgressException e) {
        if (System.nanoTime() - deadline >= 0) {
          log.warn(
              "what was done above the committed offsets of {} cannot be read ({}); it is"
                  + " redelivered",
              partitions,
              e.getMessage());
          problems.clear(SUBJECT);
          return Map.of();
        }
        problems.raise(SUBJECT, "cannot be read, tried again: " + e.getMessage());
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
