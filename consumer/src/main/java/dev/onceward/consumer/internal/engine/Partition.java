package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.Deaths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One ownership of a partition, from its assignment until it is revoked or lost. A later ownership
 * of the same partition is another object, so results of this one cannot reach that one.
 */
final class Partition {

  private final TopicPartition id;
  private final Progress progress;

  private final CommitNote note;

  // the poll thread
  private int watched;
  private boolean paused;
  private int noteChars;
  private @Nullable OffsetAndMetadata committed;
  private @Nullable OffsetAndMetadata sent;

  // any thread
  private volatile OptionalLong fence = OptionalLong.empty();
  private volatile boolean awaitsFence;
  private volatile boolean refused;
  private volatile boolean gone;

  // the rest is guarded by the lock of Lanes
  final Map<Lane, Lane> lanes = new HashMap<>();
  private final Lane keyless = Lane.keyless();
  final Deque<Lane> ready = new ArrayDeque<>();
  final Set<Work> parked = new HashSet<>();

  /** Lanes whose head starts only once a commit has named it. */
  final Set<Lane> unmarked = new LinkedHashSet<>();

  /** Lanes that may start once the first commit of this ownership has arrived. */
  final List<Lane> beforeOpen = new ArrayList<>();

  int running;
  boolean open;
  boolean draining;
  boolean closed;

  /**
   * Begins an ownership.
   *
   * @param note what the last owner left
   * @param watched how many records may have been at work, if that owner has died
   */
  Partition(TopicPartition id, CommitNote note, int watched) {
    this.id = id;
    this.note = note;
    this.progress = new Progress(note);
    this.watched = note.open() ? watched : 0;
  }

  TopicPartition id() {
    return id;
  }

  /** Touched by the poll thread only. */
  Progress progress() {
    return progress;
  }

  /** Whether an earlier owner has finished the record. */
  boolean isDone(ConsumerRecord<byte[], byte[]> record) {
    return note.isDone(record.offset()) && isWhatTheNoteMeans(record);
  }

  /**
   * A record that was written after the log had been cut off may be at an offset that the note
   * speaks of: then its leader's epoch is higher than all that the note has seen.
   */
  private boolean isWhatTheNoteMeans(ConsumerRecord<byte[], byte[]> record) {
    int known = note.leaderEpoch();
    return known < 0 || record.leaderEpoch().orElse(known) <= known;
  }

  /** The work of a record that was read, with what is known of it. */
  Work workOf(ConsumerRecord<byte[], byte[]> record, int maxCrashes) {
    long offset = record.offset();
    boolean known = isWhatTheNoteMeans(record);
    Deaths deaths = known ? note.deaths(offset) : Deaths.NONE;
    boolean convicted = deaths.isConvictedBy(maxCrashes);
    Suspicion suspicion = Suspicion.NONE;
    if (deaths.isAccused() && !convicted) {
      suspicion = Suspicion.ACCUSED;
    } else if ((deaths.isSuspect() || watched > 0) && !convicted) {
      suspicion = Suspicion.WATCHED;
    }
    watched = Math.max(0, watched - 1);
    return new Work(this, record, known ? note.attempts(offset) : 0, deaths, suspicion, convicted);
  }

  boolean paused() {
    return paused;
  }

  void paused(boolean paused) {
    this.paused = paused;
  }

  /** How long the note of the next commit would be if nothing limited it, in characters. */
  int noteChars() {
    return noteChars;
  }

  void noteChars(int chars) {
    noteChars = chars;
  }

  /** What this ownership has committed last, if anything. */
  @Nullable OffsetAndMetadata committed() {
    return committed;
  }

  void committed(OffsetAndMetadata offset) {
    committed = offset;
  }

  /**
   * Offsets that are read again if the process dies now and the note of its last commit is lost.
   */
  long replay() {
    OffsetAndMetadata last = committed;
    long from = last == null ? progress.firstRead() : last.offset();
    return Math.max(0, progress.lastRead() + 1 - from);
  }

  /** What this ownership has tried to commit last, if anything; it may have arrived. */
  @Nullable OffsetAndMetadata sent() {
    return sent;
  }

  void sent(OffsetAndMetadata offset) {
    sent = offset;
  }

  /** The fence of the ownership, once it is taken. */
  OptionalLong fence() {
    return fence;
  }

  void fence(long epoch) {
    fence = OptionalLong.of(epoch);
    refused = false;
  }

  /** Whether the fence is asked for and not taken yet. */
  boolean awaitsFence() {
    return awaitsFence;
  }

  void awaitsFence(boolean awaits) {
    awaitsFence = awaits;
  }

  /** Somebody has taken a later fence. It counts only against the present one. */
  void refuse(OptionalLong epoch) {
    if (epoch.equals(fence)) {
      refused = true;
    }
  }

  /**
   * Whether the fence is to be taken once more: a commit must prove before that the partition is
   * still owned.
   */
  boolean isRefused() {
    return refused;
  }

  /** The ownership has ended. */
  void leave() {
    gone = true;
  }

  boolean isGone() {
    return gone;
  }

  /** The lane of all records without a key; not the one of an empty key. */
  Lane keylessLane() {
    return keyless;
  }

  /** The lane of the key, made when there is none. */
  Lane lane(Lane probe) {
    @Nullable Lane existing = lanes.putIfAbsent(probe, probe);
    return existing == null ? probe : existing;
  }

  /** Drops an empty lane. */
  void forget(Lane lane) {
    lanes.remove(lane);
  }
}
