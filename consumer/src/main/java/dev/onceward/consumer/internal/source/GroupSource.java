package dev.onceward.consumer.internal.source;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads as a member of a consumer group, of either protocol. */
public final class GroupSource implements DeliverySource {

  /** The client's own metric, of both group protocols. */
  private static final String LAST_HEARTBEAT = "last-heartbeat-seconds-ago";

  private final Consumer<byte[], byte[]> consumer;
  private final Duration closeTimeout;
  private @Nullable Metric heartbeat;

  public GroupSource(Consumer<byte[], byte[]> consumer, Duration closeTimeout) {
    this.consumer = consumer;
    this.closeTimeout = closeTimeout;
  }

  @Override
  public void subscribe(Set<String> topics, OwnershipListener listener) {
    consumer.subscribe(
        topics,
        new ConsumerRebalanceListener() {
          @Override
          public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            listener.assigned(partitions);
          }

          @Override
          public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            listener.revoked(partitions);
          }

          @Override
          public void onPartitionsLost(Collection<TopicPartition> partitions) {
            listener.lost(partitions);
          }
        });
  }

  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    return consumer.poll(timeout);
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    consumer.pause(partitions);
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    consumer.resume(partitions);
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    consumer.seek(partition, offset);
  }

  @Override
  public void commitLater(Map<TopicPartition, OffsetAndMetadata> offsets, CommitResult done) {
    consumer.commitAsync(offsets, (committed, error) -> done.completed(error));
  }

  @Override
  public void commitNow(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    consumer.commitSync(offsets, timeout);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(
      Set<TopicPartition> partitions, Duration timeout) {
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    consumer
        .committed(partitions, timeout)
        .forEach(
            (partition, offset) -> {
              // the client has null for a partition without a commit
              if (offset != null) {
                committed.put(partition, offset);
              }
            });
    return committed;
  }

  @Override
  public Optional<Duration> sinceHeartbeat() {
    if (heartbeat == null) {
      heartbeat =
          consumer.metrics().entrySet().stream()
              .filter(metric -> metric.getKey().name().equals(LAST_HEARTBEAT))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElse(null);
    }
    return heartbeat != null
            && heartbeat.metricValue() instanceof Double seconds
            && seconds >= 0
            && !seconds.isInfinite()
        ? Optional.of(Duration.ofSeconds(seconds.longValue()))
        : Optional.empty();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(closeTimeout));
  }
}
