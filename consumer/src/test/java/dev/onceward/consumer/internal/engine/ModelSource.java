package dev.onceward.consumer.internal.engine;

import static dev.onceward.consumer.internal.engine.ModelGroup.require;

import dev.onceward.consumer.internal.source.DeliverySource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The Kafka client of a {@link ModelMember}: where it reads on, and the commit on its way. */
final class ModelSource implements DeliverySource {

  /** What the broker has of a commit, and what it answers. */
  enum Answer {
    TAKEN,
    TAKEN_BUT_NO_ANSWER,
    NEVER_ARRIVED
  }

  private record Pending(List<ModelCommit> commits, CommitResult result) {}

  private final ModelGroup group;
  private final ModelMember member;
  private final Function<Map<TopicPartition, OffsetAndMetadata>, List<ModelCommit>> writer;
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();
  private @Nullable Pending pending;

  /** What becomes of the next commit that is waited for. */
  boolean nextCommitNowFails;

  /**
   * Creates it.
   *
   * @param writer adds to a commit what its writer knew
   */
  ModelSource(
      ModelGroup group,
      ModelMember member,
      Function<Map<TopicPartition, OffsetAndMetadata>, List<ModelCommit>> writer) {
    this.group = group;
    this.member = member;
    this.writer = writer;
  }

  /** Reads a partition that has been assigned. */
  void begin(TopicPartition id, long from, boolean isPaused) {
    positions.put(id, from);
    paused.remove(id);
    if (isPaused) {
      paused.add(id);
    }
  }

  /** The next records of the partition, and reads on behind them. */
  List<ModelRecord> fetch(TopicPartition id) {
    long from = positions.getOrDefault(id, 0L);
    List<ModelRecord> fetched =
        group.log(id).stream()
            .filter(record -> record.offset >= from)
            .limit(paused.contains(id) ? 0 : group.settings.pollRecords())
            .toList();
    if (!fetched.isEmpty()) {
      positions.put(id, fetched.get(fetched.size() - 1).offset + 1);
    }
    return fetched;
  }

  /** The log was cut off: reads on from there, as the client does. */
  void cutOff(TopicPartition id, long from) {
    positions.merge(id, from, Math::min);
  }

  /** Answers the commit that is under way, if one is. */
  void answer(Answer answer) {
    Pending answered = pending;
    if (answered == null) {
      return;
    }
    pending = null;
    RuntimeException error =
        answer == Answer.NEVER_ARRIVED ? null : group.commit(member, answered.commits);
    answered.result.completed(
        error == null && answer != Answer.TAKEN ? new TimeoutException("no answer") : error);
  }

  /** The process has died; what it had sent never arrives. */
  void die() {
    pending = null;
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    paused.addAll(partitions);
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    paused.removeAll(partitions);
  }

  @Override
  public void seek(TopicPartition id, long offset) {
    positions.put(id, offset);
  }

  @Override
  public void commitLater(Map<TopicPartition, OffsetAndMetadata> offsets, CommitResult result) {
    require(pending == null, "a commit while another is under way", offsets);
    pending = new Pending(writer.apply(offsets), result);
  }

  @Override
  public void commitNow(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    if (nextCommitNowFails) {
      throw new TimeoutException("no answer");
    }
    RuntimeException error = group.commit(member, writer.apply(offsets));
    if (error != null) {
      throw error;
    }
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(
      Set<TopicPartition> partitions, Duration timeout) {
    return Map.copyOf(group.committed());
  }

  @Override
  public Optional<Duration> sinceHeartbeat() {
    return Optional.empty();
  }

  @Override
  public void subscribe(Set<String> topics, OwnershipListener listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
