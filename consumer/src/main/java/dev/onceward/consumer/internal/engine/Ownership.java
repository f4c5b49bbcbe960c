package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.source.DeliverySource.OwnershipListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The partitions owned at present, and what happens when they come and go. Confined to the poll
 * thread, but for {@link #count}.
 */
final class Ownership implements OwnershipListener {

  private static final Logger log = ConsumerLog.log;
  private static final long DRAIN_CHECK_NANOS = Duration.ofMillis(1).toNanos();
  private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);

  private final Map<TopicPartition, Partition> owned = new HashMap<>();
  private final OwnNotes own = new OwnNotes();
  private final CommittedNotes notes;
  private final Lanes lanes;
  private final Completions completions;
  private final Commits commits;
  private final Intake intake;
  private final Leases leases;
  private final int maxRecords;
  private final Duration drainBudget;
  private volatile int count;

  /**
   * Creates it.
   *
   * @param maxRecords how many records of a partition an owner that died may have had at work
   */
  Ownership(
      CommittedNotes notes,
      Lanes lanes,
      Completions completions,
      Commits commits,
      Intake intake,
      Leases leases,
      int maxRecords,
      Duration drainBudget) {
    this.notes = notes;
    this.maxRecords = maxRecords;
    this.lanes = lanes;
    this.completions = completions;
    this.commits = commits;
    this.intake = intake;
    this.leases = leases;
    this.drainBudget = drainBudget;
  }

  @Nullable Partition get(TopicPartition id) {
    return owned.get(id);
  }

  /** The partition, which must be owned. */
  Partition getOwned(TopicPartition id) {
    Partition partition = owned.get(id);
    if (partition == null) {
      throw new IllegalStateException(id + " has sent records, but is not assigned");
    }
    return partition;
  }

  Collection<Partition> all() {
    return owned.values();
  }

  /** How many partitions are owned; any thread. */
  int count() {
    return count;
  }

  @Override
  public void assigned(Collection<TopicPartition> partitions) {
    // no client should assign what it has not taken away, but two owners of one partition must not
    // be
    drop(find(partitions));
    Map<TopicPartition, CommitNote> left =
        partitions.isEmpty() ? Map.of() : notes.of(Set.copyOf(partitions), own);
    for (TopicPartition id : partitions) {
      CommitNote note = left.getOrDefault(id, CommitNote.NONE);
      if (note.open()) {
        log.info(
            "the last owner of {} has died or lost it: {} records that were at work, and those behind"
                + " them, start once a commit has named them; those of several deaths alone",
            id,
            note.started().size());
      }
      owned.put(id, new Partition(id, note, maxRecords));
    }
    count = owned.size();
    // the client forgets pauses when partitions are assigned anew: none may slip in while stopping
    intake.adjust(owned.values());
    if (!partitions.isEmpty()) {
      log.info("assigned {}, now {} partitions", partitions, count);
    }
  }

  @Override
  public void revoked(Collection<TopicPartition> partitions) {
    List<Partition> going = find(partitions);
    if (going.isEmpty()) {
      return;
    }
    lanes.startNoMore(going);
    awaitDrained(going, System.nanoTime() + drainBudget.toNanos());
    if (!commits.commitLast(going, COMMIT_TIMEOUT)) {
      log.warn("no commit of {} before it goes; its last work is redelivered", partitions);
    }
    drop(going);
    log.info("gave up {}, now {} partitions", partitions, count);
  }

  @Override
  public void lost(Collection<TopicPartition> partitions) {
    List<Partition> gone = find(partitions);
    if (gone.isEmpty()) {
      return;
    }
    drop(gone);
    log.warn("lost {} without notice, their unfinished work is redelivered", partitions);
  }

  /**
   * Offsets of the partition have gone back to {@code from}: what was read, done and committed from
   * there on says nothing about what comes now. When a log was cut off, what lies below is still in
   * it.
   *
   * @return from where on to read again: the first unfinished offset, when it is below {@code from}
   */
  OptionalLong beginAgain(Partition before, long from) {
    log.warn(
        "offsets of {} went back to {}: the topic was created anew or cut off", before.id(), from);
    completions.drainTo(work -> work.partition().progress().done(work));
    Work first = before.progress().firstUnfinished();
    if (first == null || first.offset() >= from) {
      replace(before, CommitNote.NONE);
      return OptionalLong.empty();
    }
    replace(before, notes.of(before.progress().below(from)));
    return OptionalLong.of(first.offset());
  }

  private void replace(Partition before, CommitNote note) {
    Partition anew = new Partition(before.id(), note, 0);
    anew.paused(before.paused());
    drop(List.of(before));
    owned.put(anew.id(), anew);
    count = owned.size();
  }

  /** Cancels whatever is unfinished and forgets all partitions, without a commit. */
  void dropAll() {
    drop(List.copyOf(owned.values()));
  }

  private void awaitDrained(List<Partition> partitions, long deadlineNanos) {
    while (!isDrained(partitions)) {
      if (System.nanoTime() - deadlineNanos >= 0) {
        reportUnfinished(partitions);
        return;
      }
      leases.look(partitions);
      LockSupport.parkNanos(DRAIN_CHECK_NANOS);
    }
  }

  /** Says what a drain has waited for in vain. */
  void reportUnfinished(Collection<Partition> partitions) {
    List<String> unfinished = new ArrayList<>();
    for (Partition partition : partitions) {
      partition
          .progress()
          .forEachUnfinished(
              work -> {
                if (work.isRunning()) {
                  unfinished.add(partition.id() + "@" + work.offset());
                }
              });
    }
    if (!unfinished.isEmpty()) {
      log.warn(
          "handlers did not finish within {}; they are interrupted and their events redelivered: {}",
          drainBudget,
          unfinished);
    }
  }

  /** Whether no handler runs and no dead letter is under way; what is done is counted then. */
  boolean isDrained(Collection<Partition> partitions) {
    // asked before what is done is counted, so that nothing can slip between the two
    boolean idle = partitions.stream().allMatch(lanes::isIdle);
    completions.drainTo(work -> work.partition().progress().done(work));
    return idle;
  }

  private void drop(Collection<Partition> partitions) {
    for (Partition partition : partitions) {
      lanes.close(partition);
      partition.leave();
      partition.progress().forEachUnfinished(Work::cancel);
      owned.remove(partition.id(), partition);
      own.leave(partition);
    }
    count = owned.size();
  }

  private List<Partition> find(Collection<TopicPartition> ids) {
    List<Partition> found = new ArrayList<>();
    for (TopicPartition id : ids) {
      Partition partition = owned.get(id);
      if (partition != null) {
        found.add(partition);
      }
    }
    return found;
  }
}
