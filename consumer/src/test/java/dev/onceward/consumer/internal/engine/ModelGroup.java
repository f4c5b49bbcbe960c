package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.engine.ModelRecord.Kind;
import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.NoteCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.jspecify.annotations.Nullable;

/**
 * Logs, committed offsets and members without a broker and without threads, and what is true
 * whatever the members believe. Every step of every member is taken by whoever drives the model;
 * what must never be throws at once.
 */
final class ModelGroup {

  static final NoteCodec CODEC = new NoteCodec(4096);

  /** How members are set up. */
  record Settings(
      int partitions,
      int concurrency,
      int maxRecords,
      int pollRecords,
      int maxAttempts,
      int maxCrashes,
      int brokerMaxChars,
      int keys,
      int mostAppended) {}

  final Settings settings;
  final List<ModelMember> members = new ArrayList<>();
  private final Map<TopicPartition, List<ModelRecord>> logs = new HashMap<>();
  private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
  private final Map<TopicPartition, ModelMember> owners = new HashMap<>();
  private final Map<TopicPartition, Partition> lastCommitOf = new HashMap<>();
  private final Map<TopicPartition, Integer> generations = new HashMap<>();
  private final Map<TopicPartition, Integer> versions = new HashMap<>();
  private final Map<TopicPartition, Integer> committedVersions = new HashMap<>();
  private final Map<ModelRecord, Integer> promisedAttempts = new HashMap<>();
  private final List<String> trace = new ArrayList<>();
  private int memberNumber;
  long nanos;
  int deaths;
  int redone;

  ModelGroup(Settings settings) {
    this.settings = settings;
    for (int i = 0; i < settings.partitions(); i++) {
      TopicPartition id = new TopicPartition("topic", i);
      logs.put(id, new ArrayList<>());
      versions.put(id, 0);
    }
  }

  /** Remembers what happened, for whoever looks at a failure. */
  void trace(String what, Object... about) {
    trace.add(what + " " + List.of(about));
  }

  List<String> trace() {
    return trace;
  }

  static void require(boolean holds, String what, Object... about) {
    if (!holds) {
      throw new AssertionError(what + ": " + List.of(about));
    }
  }

  TopicPartition id(int number) {
    return new TopicPartition("topic", Math.floorMod(number, settings.partitions()));
  }

  List<TopicPartition> ids() {
    List<TopicPartition> ids = new ArrayList<>();
    for (int i = 0; i < settings.partitions(); i++) {
      ids.add(id(i));
    }
    return ids;
  }

  ModelMember join() {
    ModelMember member = new ModelMember(this, ++memberNumber);
    members.add(member);
    return member;
  }

  // ---- logs

  /** Appends a record, after a gap of so many offsets. */
  void append(TopicPartition id, int gap, String key, Kind kind) {
    List<ModelRecord> log = log(id);
    log.add(new ModelRecord(id, end(id) + gap, key, versionOf(id), kind));
  }

  /** The leader loses what is at or above the offset, and a new one takes other records there. */
  void cutOff(TopicPartition id, long from) {
    List<ModelRecord> log = log(id);
    for (ModelRecord record : log) {
      record.cutOff = record.offset >= from;
    }
    log.removeIf(record -> record.cutOff);
    trace("cut off", id, from);
    versions.merge(id, 1, Integer::sum);
    log.add(new ModelRecord(id, from, "a", versionOf(id), Kind.GOOD));
    log.add(new ModelRecord(id, from + 1, "b", versionOf(id), Kind.GOOD));
  }

  List<ModelRecord> log(TopicPartition id) {
    return known(logs.get(id));
  }

  /** The offset after the last record. */
  long end(TopicPartition id) {
    List<ModelRecord> log = log(id);
    return log.isEmpty() ? 0 : log.get(log.size() - 1).offset + 1;
  }

  /** How often the log was cut off, which is also the leader epoch of what is written. */
  int versionOf(TopicPartition id) {
    return known(versions.get(id));
  }

  boolean isAllFinished() {
    return logs.values().stream().flatMap(List::stream).allMatch(record -> record.finished);
  }

  boolean isAllCommitted() {
    return ids().stream().allMatch(id -> committedOffset(id) == end(id));
  }

  // ---- ownership

  @Nullable ModelMember owner(TopicPartition id) {
    return owners.get(id);
  }

  /** How often the partition has been assigned. */
  int generation(TopicPartition id) {
    return generations.getOrDefault(id, 0);
  }

  void owns(TopicPartition id, ModelMember member) {
    trace("assigned", member, id, startOffset(id), note(id));
    owners.put(id, member);
    generations.merge(id, 1, Integer::sum);
    lastCommitOf.remove(id);
  }

  /** Nobody owns it any more; who did has not given it up. */
  void endsUncleanly(TopicPartition id) {
    CommitNote note = note(id);
    trace("ends uncleanly", id, String.valueOf(owners.get(id)));
    // what stands there may be of the owner before, which ended long ago
    if (owners.remove(id) != null && lastCommitOf.containsKey(id) && note.open()) {
      for (long offset : note.started()) {
        ModelRecord record = at(id, offset, note);
        if (record != null) {
          record.namedDeaths++;
          record.namedAloneDeaths += note.alone() ? 1 : 0;
        }
      }
    }
  }

  /** Nobody owns it any more, and the last commit says so. */
  void endsCleanly(TopicPartition id, Map<ModelRecord, Integer> attempts) {
    trace("ends cleanly", id, String.valueOf(owners.get(id)));
    owners.remove(id);
    require(!note(id).open(), "given up cleanly, but the note is open", id);
    promisedAttempts.putAll(attempts);
  }

  /** A record is met by a further owner. */
  void met(ModelRecord record, Work work) {
    Integer promised = promisedAttempts.remove(record);
    require(
        promised == null || work.failedAttempts() >= promised,
        "attempts went down over a clean hand-over",
        record,
        work.failedAttempts(),
        String.valueOf(promised));
    require(
        work.isConvicted() || !record.convicted, "tried again although it was convicted", record);
    record.convicted |= work.isConvicted();
    if (work.isConvicted()) {
      require(
          record.namedAloneDeaths >= settings.maxCrashes(),
          "convicted without having been alone in enough deaths",
          record,
          record.namedDeaths,
          record.namedAloneDeaths);
    }
  }

  // ---- commits

  long committedOffset(TopicPartition id) {
    OffsetAndMetadata offset = committed.get(id);
    return offset == null ? 0 : offset.offset();
  }

  /** Where a next owner begins: where the log was cut off, if the commit is older than that. */
  long startOffset(TopicPartition id) {
    int version = committedVersions.getOrDefault(id, versionOf(id));
    return log(id).stream()
        .filter(record -> record.leaderEpoch > version)
        .mapToLong(record -> record.offset)
        .reduce(committedOffset(id), Math::min);
  }

  Map<TopicPartition, OffsetAndMetadata> committed() {
    return committed;
  }

  CommitNote note(TopicPartition id) {
    OffsetAndMetadata offset = committed.get(id);
    return offset == null ? CommitNote.NONE : CODEC.decode(offset.offset(), offset.metadata());
  }

  /** The records that the committed offset, or what stands beside it, calls done. */
  Set<ModelRecord> told(TopicPartition id) {
    CommitNote note = note(id);
    long base = startOffset(id);
    Set<ModelRecord> told = new HashSet<>();
    for (ModelRecord record : log(id)) {
      if (record.offset < base || (note.isDone(record.offset) && means(note, record))) {
        told.add(record);
      }
    }
    return told;
  }

  /** What the broker answers to a commit that reaches it: null when it was taken. */
  @Nullable RuntimeException commit(ModelMember member, List<ModelCommit> commits) {
    for (ModelCommit commit : commits) {
      if (owners.get(commit.id()) != member || commit.generation() != generation(commit.id())) {
        return new CommitFailedException("of an earlier generation");
      }
      if (commit.offset().metadata().length() > settings.brokerMaxChars()) {
        return new OffsetMetadataTooLarge("too large");
      }
    }
    commits.forEach(this::take);
    return null;
  }

  private void take(ModelCommit commit) {
    TopicPartition id = commit.id();
    Set<ModelRecord> before = told(id);
    committed.put(id, commit.offset());
    committedVersions.put(id, commit.version());
    lastCommitOf.put(id, commit.partition());
    trace("committed", id, commit.offset().offset(), note(id));
    if (commit.version() != versionOf(id)) {
      // it speaks of a log that is no more
      return;
    }
    Set<ModelRecord> now = told(id);
    for (ModelRecord record : now) {
      require(record.finished, "called done, but is not", record, commit.offset(), note(id));
    }
    if (commit.clipped()) {
      promisedAttempts.keySet().removeIf(record -> record.id.equals(id));
      return;
    }
    for (ModelRecord record : log(id)) {
      if (before.contains(record) || commit.done().contains(record)) {
        require(now.contains(record), "done, but not told", record, commit.offset(), note(id));
      }
    }
  }

  /** Who is named alone, is. */
  void check() {
    for (TopicPartition id : ids()) {
      CommitNote note = note(id);
      ModelMember owner = owners.get(id);
      if (owner != null && note.alone() && owner.ownership.get(id) == lastCommitOf.get(id)) {
        for (Work work : owner.running) {
          require(
              work.partition().id().equals(id) && note.started().contains(work.offset()),
              "named as alone, but something else runs",
              note.started(),
              owner.recordOf(work));
        }
      }
    }
  }

  private @Nullable ModelRecord at(TopicPartition id, long offset, CommitNote note) {
    for (ModelRecord record : log(id)) {
      if (record.offset == offset && means(note, record)) {
        return record;
      }
    }
    return null;
  }

  private static boolean means(CommitNote note, ModelRecord record) {
    return note.leaderEpoch() < 0 || record.leaderEpoch <= note.leaderEpoch();
  }

  private static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("no such partition");
    }
    return value;
  }
}
