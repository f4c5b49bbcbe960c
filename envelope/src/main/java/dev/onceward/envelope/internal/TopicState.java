package dev.onceward.envelope.internal;

import java.time.Duration;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.TopicConfig;

/** What the broker says about a topic. */
final class TopicState {
  private final TopicDescription description;
  private final Config config;

  TopicState(TopicDescription description, Config config) {
    this.description = description;
    this.config = config;
  }

  int partitions() {
    return description.partitions().size();
  }

  /** Of the partition that has the fewest. */
  int replicas() {
    return description.partitions().stream().mapToInt(p -> p.replicas().size()).min().orElse(0);
  }

  int minInsyncReplicas() {
    return (int) number(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, 1);
  }

  long maxMessageBytes() {
    return number(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Long.MAX_VALUE);
  }

  boolean hasSizeLimit() {
    return number(TopicConfig.RETENTION_BYTES_CONFIG, -1) >= 0;
  }

  boolean isCompacted() {
    return cleanupPolicy().contains(TopicConfig.CLEANUP_POLICY_COMPACT);
  }

  boolean isDeletedByAge() {
    return cleanupPolicy().contains(TopicConfig.CLEANUP_POLICY_DELETE) && retentionMillis() >= 0;
  }

  /** How long records stay; longer than any when they are not deleted by age. */
  Duration retention() {
    return Duration.ofMillis(isDeletedByAge() ? retentionMillis() : Long.MAX_VALUE);
  }

  String cleanupPolicy() {
    ConfigEntry entry = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
    return entry == null || entry.value() == null
        ? TopicConfig.CLEANUP_POLICY_DELETE
        : entry.value();
  }

  private long retentionMillis() {
    return number(TopicConfig.RETENTION_MS_CONFIG, -1);
  }

  private long number(String name, long otherwise) {
    ConfigEntry entry = config.get(name);
    return entry == null || entry.value() == null ? otherwise : Long.parseLong(entry.value());
  }
}
