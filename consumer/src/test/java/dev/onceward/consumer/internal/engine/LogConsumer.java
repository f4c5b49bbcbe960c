package dev.onceward.consumer.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.jspecify.annotations.Nullable;

/**
 * The clients' own mock over logs that stay, and closer to a real consumer where the engine could
 * tell the two apart: what is assigned anew is read from its committed offset, an asynchronous
 * commit is answered during a later poll, an idle poll waits, an interrupted one throws, and a
 * close revokes what is owned. Rebalances happen on the thread that polls.
 */
final class LogConsumer extends MockConsumer<byte[], byte[]> {

  private static final long LONGEST_IDLE_NANOS = Duration.ofMillis(2).toNanos();

  private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs;
  private final Map<TopicPartition, OffsetAndMetadata> offsets;
  private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
  private final Set<TopicPartition> paused = ConcurrentHashMap.newKeySet();
  private volatile long polls;
  private volatile boolean polling;
  private volatile int maxMetadata = 4096;

  private volatile boolean dead;

  /**
   * Creates it.
   *
   * @param before one that is dead, and whose logs and committed offsets this one finds
   */
  LogConsumer(int pollRecords, @Nullable LogConsumer before) {
    super("earliest");
    setMaxPollRecords(pollRecords);
    logs = before == null ? new HashMap<>() : before.logs;
    offsets = before == null ? new ConcurrentHashMap<>() : before.offsets;
  }

  /** From now on nothing that it commits reaches the group. */
  void die() {
    dead = true;
  }

  /** Writes to the log; the offset must be higher than any before. */
  synchronized void append(ConsumerRecord<byte[], byte[]> record) {
    TopicPartition id = new TopicPartition(record.topic(), record.partition());
    List<ConsumerRecord<byte[], byte[]>> log = logs.get(id);
    if (log == null) {
      log = new ArrayList<>();
      logs.put(id, log);
    }
    log.add(record);
    if (assignment().contains(id)) {
      addRecord(record);
    }
  }

  /** During a later poll, owns these partitions; what it keeps is not revoked. */
  void rebalanceTo(Collection<TopicPartition> partitions) {
    Set<TopicPartition> next = Set.copyOf(partitions);
    schedulePollTask(() -> move(next));
  }

  /** During a later poll, gives everything up and then owns these partitions. */
  void rebalanceEagerlyTo(Collection<TopicPartition> partitions) {
    Set<TopicPartition> next = Set.copyOf(partitions);
    schedulePollTask(
        () -> {
          move(Set.of());
          move(next);
        });
  }

  /** During a later poll, finds that what it owns of these partitions has gone already. */
  void lose(Collection<TopicPartition> partitions) {
    schedulePollTask(
        () -> {
          Set<TopicPartition> gone = new HashSet<>(partitions);
          gone.retainAll(assignment());
          if (!gone.isEmpty()) {
            paused.removeAll(gone);
            losePartitions(gone);
          }
        });
  }

  private void move(Set<TopicPartition> next) {
    Set<TopicPartition> kept = new HashSet<>(assignment());
    kept.retainAll(next);
    next.forEach(id -> updateBeginningOffsets(Map.of(id, 0L)));
    paused.retainAll(kept);
    rebalance(next);
    for (TopicPartition id : next) {
      long from = kept.contains(id) ? position(id) : committedOffset(id);
      seek(id, from);
      for (ConsumerRecord<byte[], byte[]> record : logs.getOrDefault(id, List.of())) {
        if (record.offset() >= from) {
          addRecord(record);
        }
      }
    }
  }

  /**
   * During a later poll, finds the log cut off at the offset, as a lagging new leader leaves it.
   */
  void cutOff(TopicPartition id, long offset) {
    schedulePollTask(
        () -> {
          logs.getOrDefault(id, new ArrayList<>()).removeIf(record -> record.offset() >= offset);
          super.seek(id, offset);
        });
  }

  @Override
  public synchronized void seek(TopicPartition id, long offset) {
    super.seek(id, offset);
    if (polling) {
      // the mock's own, to find its first position
      return;
    }
    for (ConsumerRecord<byte[], byte[]> record : logs.getOrDefault(id, List.of())) {
      if (record.offset() >= offset) {
        addRecord(record);
      }
    }
  }

  /** The most that may stand beside an offset. */
  void maxMetadata(int chars) {
    maxMetadata = chars;
  }

  /** What an earlier owner has left. */
  synchronized void leave(TopicPartition id, OffsetAndMetadata offset) {
    offsets.put(id, offset);
    // the mock forgets it when it subscribes
    schedulePollTask(() -> super.commitAsync(Map.of(id, offset), null));
  }

  /** What stands beside the committed offset. */
  String committedText(TopicPartition id) {
    OffsetAndMetadata offset = offsets.get(id);
    return offset == null ? "" : offset.metadata();
  }

  /** What the group has committed, or 0. */
  long committedOffset(TopicPartition id) {
    OffsetAndMetadata offset = offsets.get(id);
    return offset == null ? 0 : offset.offset();
  }

  /** How often it was polled. */
  long polls() {
    return polls;
  }

  /** Runs during a later poll, as the answer to a request does. */
  void answer(Runnable answer) {
    answers.add(answer);
  }

  // one thread polls, others only read; and an idle poll must not keep the others out
  @SuppressWarnings({"NonAtomicVolatileUpdate", "UnsynchronizedOverridesSynchronized"})
  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    polls++;
    if (Thread.interrupted()) {
      throw new InterruptException(new InterruptedException());
    }
    deliverAnswers();
    polling = true;
    ConsumerRecords<byte[], byte[]> records;
    try {
      records = super.poll(timeout);
    } finally {
      polling = false;
    }
    if (records.isEmpty()) {
      LockSupport.parkNanos(Math.min(LONGEST_IDLE_NANOS, timeout.toNanos()));
    }
    return records;
  }

  private void deliverAnswers() {
    Runnable answer = answers.poll();
    while (answer != null) {
      answer.run();
      answer = answers.poll();
    }
  }

  @Override
  public synchronized void pause(Collection<TopicPartition> partitions) {
    super.pause(partitions);
    paused.addAll(partitions);
  }

  @Override
  public synchronized void resume(Collection<TopicPartition> partitions) {
    super.resume(partitions);
    paused.removeAll(partitions);
  }

  /** What is paused of what is assigned; the mock's own set keeps what has gone. */
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // its own set is thread-safe
  @Override
  public Set<TopicPartition> paused() {
    return Set.copyOf(paused);
  }

  @Override
  public synchronized void commitAsync(
      Map<TopicPartition, OffsetAndMetadata> committed, @Nullable OffsetCommitCallback callback) {
    if (isTooLong(committed)) {
      answers.add(
          () -> {
            if (callback != null) {
              callback.onComplete(committed, new OffsetMetadataTooLarge("too long"));
            }
          });
      return;
    }
    super.commitAsync(committed, null);
    commit(committed);
    if (callback != null) {
      answers.add(() -> callback.onComplete(committed, null));
    }
  }

  private void commit(Map<TopicPartition, OffsetAndMetadata> committed) {
    if (!dead) {
      offsets.putAll(committed);
    }
  }

  private boolean isTooLong(Map<TopicPartition, OffsetAndMetadata> committed) {
    return committed.values().stream().anyMatch(o -> o.metadata().length() > maxMetadata);
  }

  @Override
  public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> committed) {
    deliverAnswers();
    if (isTooLong(committed)) {
      throw new OffsetMetadataTooLarge("too long");
    }
    super.commitAsync(committed, null);
    commit(committed);
  }

  @Override
  public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
      Set<TopicPartition> partitions, Duration timeout) {
    Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>(offsets);
    found.keySet().retainAll(partitions);
    return found;
  }

  @Override
  public void close(CloseOptions options) {
    deliverAnswers();
    if (!closed() && !assignment().isEmpty()) {
      rebalance(Set.of());
    }
    super.close(options);
  }
}
