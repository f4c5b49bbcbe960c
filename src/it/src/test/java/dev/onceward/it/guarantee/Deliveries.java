package dev.onceward.it.guarantee;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What became of each record, in a few bytes a record. Thread-safe. */
final class Deliveries {

  /** One partition's records by offset. */
  private static final class Part {
    final Column runs = new Column();
    final Column failures = new Column();

    /** Who finished it, as an index from 1 into the members; 0 while it is not finished. */
    final Column finisher = new Column();
  }

  private final Map<TopicPartition, Part> parts = new HashMap<>();
  private final List<String> members = new ArrayList<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private final Map<End, Long> ends = new HashMap<>();
  private final Map<String, Long> runsOf = new HashMap<>();
  private long runs;
  private long finished;
  private int mostFailures;

  synchronized void begun(Run run) {
    runs++;
    runsOf.merge(run.member, 1L, Long::sum);
    part(run.partition()).runs.add(run.offset, 1);
  }

  synchronized void ended(Run run, End end) {
    ends.merge(end, 1L, Long::sum);
    Part part = part(run.partition());
    if (end.isFinish()) {
      if (part.finisher.get(run.offset) == 0) {
        finished++;
      }
      part.finisher.set(run.offset, index(run.member));
    } else if (end == End.FAILED) {
      part.failures.add(run.offset, 1);
      mostFailures = Math.max(mostFailures, part.failures.get(run.offset));
    }
  }

  /** Whether a run of the record has finished it. */
  synchronized boolean isFinished(TopicPartition partition, long offset) {
    return part(partition).finisher.get(offset) != 0;
  }

  /** The member that finished the record last. */
  synchronized @Nullable String finisher(TopicPartition partition, long offset) {
    int index = part(partition).finisher.get(offset);
    return index == 0 ? null : members.get(index - 1);
  }

  synchronized int runs(TopicPartition partition, long offset) {
    return part(partition).runs.get(offset);
  }

  synchronized int failures(TopicPartition partition, long offset) {
    return part(partition).failures.get(offset);
  }

  /** The runs that have begun in a member. */
  synchronized long runs(String member) {
    return runsOf.getOrDefault(member, 0L);
  }

  /** All runs that have begun. */
  synchronized long runs() {
    return runs;
  }

  /** How many members have had runs, and how many runs, of those whose names begin so. */
  synchronized String runsOf(String prefix) {
    List<Long> counts =
        runsOf.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(prefix))
            .map(Map.Entry::getValue)
            .toList();
    return "%d in %d".formatted(counts.stream().mapToLong(n -> n).sum(), counts.size());
  }

  /** Records that a run has finished. */
  synchronized long finished() {
    return finished;
  }

  synchronized long ends(End end) {
    return ends.getOrDefault(end, 0L);
  }

  /** The most failed attempts that one record had. */
  synchronized int mostFailures() {
    return mostFailures;
  }

  private Part part(TopicPartition partition) {
    return parts.computeIfAbsent(partition, p -> new Part());
  }

  private int index(String member) {
    return indexes.computeIfAbsent(
        member,
        m -> {
          members.add(m);
          return members.size();
        });
  }
}
