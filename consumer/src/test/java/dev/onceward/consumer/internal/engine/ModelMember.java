package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.ModelGroup.require;

import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.engine.ModelSource.Answer;
import dev.onceward.consumer.internal.engine.Work.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A process of a {@link ModelGroup}: the engine's own parts, and in place of its poll thread and
 * its handler threads, methods that take one step each.
 */
final class ModelMember {

  private final ModelGroup group;
  private final ModelSource source;
  private final int number;
  private final Lanes lanes;
  private final Completions completions = new Completions();
  private final Suspects suspects;
  private final Drafts drafts;
  private final Commits commits;
  private final Intake intake;
  final Ownership ownership;

  private final Map<TopicPartition, Integer> generations = new HashMap<>();
  private final Map<Work, ModelRecord> records = new HashMap<>();
  private final ModelWitness witness;

  /** Taken, but not begun. */
  final List<Work> held = new ArrayList<>();

  final List<Work> running = new ArrayList<>();
  final List<Work> retries = new ArrayList<>();
  final List<Work> letters = new ArrayList<>();
  private boolean dead;
  private boolean holdNext;

  ModelMember(ModelGroup group, int number) {
    this.group = group;
    this.number = number;
    source = new ModelSource(group, this, this::write);
    witness = new ModelWitness(group, this);
    ModelGroup.Settings settings = group.settings;
    Problems problems = new Problems();
    lanes =
        new Lanes(
            settings.concurrency(), KeylessRecords.IN_PARTITION_ORDER, Set.of(), () -> group.nanos);
    suspects = new Suspects(lanes, settings.maxCrashes(), () -> group.nanos);
    drafts = new Drafts(lanes, suspects, lanes::open);
    commits =
        new Commits(
            source, problems, drafts, suspects, Duration.ZERO, this::pump, () -> group.nanos);
    intake =
        new Intake(
            source,
            settings.maxRecords(),
            Long.MAX_VALUE / 4,
            settings.pollRecords(),
            drafts::maxChars);
    ownership =
        new Ownership(
            new CommittedNotes(source, problems, Duration.ofSeconds(1)),
            lanes,
            completions,
            commits,
            intake,
            new Leases(OnExpiry.RETRY, problems, work -> {}),
            settings.maxRecords(),
            Duration.ZERO);
  }

  ModelRecord recordOf(Work work) {
    ModelRecord record = records.get(work);
    if (record == null) {
      throw new IllegalStateException("work of no record");
    }
    return record;
  }

  boolean owns(TopicPartition id) {
    return ownership.get(id) != null;
  }

  boolean isDead() {
    return dead;
  }

  // ---- partitions come and go

  void assign(TopicPartition id) {
    group.owns(id, this);
    generations.put(id, group.generation(id));
    ownership.assigned(List.of(id));
    source.begin(id, group.startOffset(id), partition(id).paused());
    witness.begin(partition(id), group.told(id));
  }

  /** Gives it up; handlers that still run are cancelled. */
  void revoke(TopicPartition id, boolean commitFails) {
    Partition partition = partition(id);
    settle();
    Map<ModelRecord, Integer> attempts = new HashMap<>();
    partition
        .progress()
        .forEachUnfinished(work -> attempts.put(recordOf(work), work.failedAttempts()));
    source.nextCommitNowFails = commitFails;
    answer(Answer.TAKEN);
    ownership.revoked(List.of(id));
    cleared();
    boolean clean =
        partition.committed() != null
            && partition.committed().equals(group.committed().get(id))
            && !group.note(id).open();
    if (clean) {
      group.endsCleanly(id, isClipped(partition) ? Map.of() : attempts);
    } else {
      group.endsUncleanly(id);
    }
    source.nextCommitNowFails = false;
  }

  /** From now on starts nothing of the partition. */
  void startNoMore(TopicPartition id) {
    lanes.startNoMore(List.of(partition(id)));
  }

  /** Learns that it does not own the partition any more. */
  void lose(TopicPartition id) {
    if (group.owner(id) == this) {
      group.endsUncleanly(id);
    }
    ownership.lost(List.of(id));
    cleared();
  }

  void die() {
    group.trace("dies", this);
    group.deaths++;
    for (TopicPartition id : group.ids()) {
      if (group.owner(id) == this) {
        group.endsUncleanly(id);
      }
    }
    source.die();
    dead = true;
    group.members.remove(this);
  }

  // ---- the poll thread

  /** Reads up to so many records of each partition. */
  void poll() {
    intake.adjust(ownership.all());
    for (Partition owned : List.copyOf(ownership.all())) {
      TopicPartition id = owned.id();
      List<ModelRecord> arrived = source.fetch(id);
      if (!arrived.isEmpty()) {
        takeIn(owned, arrived);
        pump();
      }
    }
    settle();
  }

  /** As the engine does it. */
  private void takeIn(Partition owned, List<ModelRecord> arrived) {
    group.trace("reads", this, arrived.get(0), arrived.size());
    TopicPartition id = owned.id();
    Partition partition = owned;
    long first = arrived.get(0).offset;
    if (partition.progress().isBehind(first)) {
      settle();
      Set<ModelRecord> doneBefore = Set.copyOf(witness.doneOf(partition));
      OptionalLong unfinished = ownership.beginAgain(partition, first);
      cleared();
      partition = partition(id);
      witness.begin(partition, doneBefore);
      if (unfinished.isPresent()) {
        source.seek(id, unfinished.getAsLong());
        return;
      }
    }
    List<Work> works = new ArrayList<>();
    for (ModelRecord record : arrived) {
      if (partition.isDone(record.toRecord())) {
        require(record.finished, "passed over, but not done", record);
        partition.progress().addDone(record.toRecord());
        witness.doneOf(partition).add(record);
        continue;
      }
      Work work = partition.workOf(record.toRecord(), group.settings.maxCrashes());
      records.put(work, record);
      group.met(record, work);
      witness.meets(work);
      partition.progress().add(work);
      works.add(work);
    }
    lanes.offer(partition, works);
    ModelRecord last = arrived.get(arrived.size() - 1);
    partition
        .progress()
        .readUpTo(new OffsetAndMetadata(last.offset + 1, Optional.of(last.leaderEpoch), ""));
  }

  /** The log was cut off. */
  void cutOff(TopicPartition id, long from) {
    source.cutOff(id, from);
  }

  void settle() {
    completions.drainTo(
        work -> {
          work.partition().progress().done(work);
          witness.doneOf(work.partition()).add(recordOf(work));
        });
  }

  void commitWhenDue() {
    settle();
    commits.commitWhenDue(ownership.all());
    pump();
  }

  /** Answers the commit that is under way, if one is. */
  void answer(Answer answer) {
    source.answer(answer);
  }

  // ---- handlers

  void pump() {
    Work work = lanes.take();
    while (work != null) {
      begin(work);
      work = lanes.take();
    }
  }

  /** The thread that is to run what is taken next does not come to it yet. */
  void holdNext() {
    holdNext = true;
  }

  /** Held work begins, or its executor has refused it. */
  void letGo(Work work, boolean refused) {
    held.remove(work);
    if (refused) {
      lanes.putBack(work);
      pump();
    } else if (work.cancelled()) {
      go(lanes.finish(work));
    } else {
      start(work);
    }
  }

  private void go(@Nullable Work next) {
    if (next != null) {
      begin(next);
    }
  }

  private void begin(Work work) {
    witness.takes(work);
    if (holdNext) {
      holdNext = false;
      held.add(work);
    } else {
      start(work);
    }
  }

  private void start(Work work) {
    ModelRecord record = recordOf(work);
    require(
        work.begin(new HandlerLease(work.record(), LeasePolicy.standard(), () -> group.nanos)),
        "begins although cancelled",
        record);
    running.add(work);
    group.trace("begins", this, record, work.suspicion);
    witness.starts(work, record);
  }

  /** The handler returns, fails or kills its process, as its record says. */
  void end(Work work) {
    ModelRecord record = recordOf(work);
    if (record.kills() && !work.isConvicted()) {
      die();
      return;
    }
    group.trace("ends", this, record);
    running.remove(work);
    work.end();
    boolean fails = work.isConvicted() || record.failsNow();
    if (!fails) {
      record.finished = true;
      completions.add(work);
      go(lanes.finish(work));
    } else if (work.cancelled()) {
      go(lanes.finish(work));
    } else if (!work.isConvicted() && work.failedAttempts() + 1 < group.settings.maxAttempts()) {
      record.failures++;
      work.countFailedAttempt();
      retries.add(work);
      go(lanes.park(work, Wait.RETRY));
    } else {
      record.failures++;
      letters.add(work);
      go(lanes.park(work, Wait.DEAD_LETTER));
    }
  }

  void retry(Work work) {
    retries.remove(work);
    lanes.resume(work);
    pump();
  }

  /** The broker has the dead letter, unless the partition went before it was sent. */
  void acknowledge(Work work) {
    letters.remove(work);
    if (work.cancelled()) {
      return;
    }
    ModelRecord record = recordOf(work);
    record.finished = true;
    completions.add(work);
    lanes.finishParked(work, !work.isConvicted());
    pump();
  }

  private List<ModelCommit> write(Map<TopicPartition, OffsetAndMetadata> offsets) {
    List<ModelCommit> written = new ArrayList<>();
    offsets.forEach(
        (id, offset) -> {
          Partition partition = partition(id);
          written.add(
              new ModelCommit(
                  id,
                  partition,
                  offset,
                  generations.getOrDefault(id, 0),
                  witness.versionOf(partition),
                  isClipped(partition),
                  Set.copyOf(witness.doneOf(partition))));
        });
    return written;
  }

  private boolean isClipped(Partition partition) {
    return drafts.maxChars() < 32 || partition.noteChars() > drafts.maxChars();
  }

  private Partition partition(TopicPartition id) {
    Partition partition = ownership.get(id);
    if (partition == null) {
      throw new IllegalStateException(id + " is not owned");
    }
    return partition;
  }

  /** A cancelled handler's interrupt has hit the one thread that there is. */
  private static void cleared() {
    Thread.interrupted();
  }

  @Override
  public String toString() {
    return "member " + number;
  }
}
