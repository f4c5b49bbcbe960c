package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.ModelGroup.require;

import dev.onceward.consumer.internal.engine.Work.Suspicion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks at what a {@link ModelMember} starts: whether it may, and when. */
final class ModelWitness {

  private final ModelGroup group;
  private final ModelMember member;

  /** What must be named before it starts. */
  private final Set<Work> watched = new HashSet<>();

  private final Map<Partition, Integer> versions = new HashMap<>();
  private final Map<Partition, Set<ModelRecord>> toldBefore = new HashMap<>();
  private final Map<Partition, Set<ModelRecord>> done = new HashMap<>();

  ModelWitness(ModelGroup group, ModelMember member) {
    this.group = group;
    this.member = member;
  }

  /** An ownership begins, which knows that these records are done. */
  void begin(Partition partition, Set<ModelRecord> told) {
    versions.put(partition, group.versionOf(partition.id()));
    toldBefore.put(partition, told);
  }

  /** The version of the log that the ownership reads. */
  int versionOf(Partition partition) {
    return versions.getOrDefault(partition, -1);
  }

  /** What the ownership has counted as done. */
  Set<ModelRecord> doneOf(Partition partition) {
    return done.computeIfAbsent(partition, any -> new HashSet<>());
  }

  /** A record has been read. */
  void meets(Work work) {
    if (work.suspicion != Suspicion.NONE) {
      watched.add(work);
    }
  }

  /** Work has been taken and will run. */
  void takes(Work work) {
    ModelRecord record = member.recordOf(work);
    Partition partition = work.partition();
    require(
        member.ownership.get(partition.id()) == partition, "starts although it is gone", record);
    List<Work> taken = new ArrayList<>(member.running);
    taken.addAll(member.held);
    require(taken.size() < group.settings.concurrency(), "too many at once", record);
    for (Work other : taken) {
      ModelRecord beside = member.recordOf(other);
      require(
          !beside.id.equals(record.id) || !beside.key.equals(record.key),
          "two of one key at once",
          record,
          beside);
    }
    if (work.suspicion == Suspicion.ACCUSED) {
      require(taken.isEmpty(), "accused, but not alone", record);
    }
  }

  /** The handler begins. */
  void starts(Work work, ModelRecord record) {
    Partition partition = work.partition();
    if (versionOf(partition) != group.versionOf(record.id)) {
      // it handles what the log has lost
      return;
    }
    for (ModelRecord earlier : group.log(record.id)) {
      require(
          earlier.offset >= record.offset || !earlier.key.equals(record.key) || earlier.finished,
          "overtakes one of its key",
          record,
          earlier);
    }
    if (record.finished) {
      require(
          !toldBefore.getOrDefault(partition, Set.of()).contains(record)
              && !doneOf(partition).contains(record),
          "runs again although that it is done was told",
          record);
      group.redone++;
    }
    // in a note shorter still, one that was named may have no room in a later note
    boolean room = group.settings.brokerMaxChars() >= 100;
    if (watched.remove(work) && room && group.owner(record.id) == member) {
      require(
          group.note(record.id).open() && group.note(record.id).started().contains(record.offset),
          "starts without having been named",
          record,
          group.note(record.id).started());
    }
  }
}
