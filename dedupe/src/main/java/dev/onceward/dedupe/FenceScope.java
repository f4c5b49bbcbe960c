package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * What a fence is for: one partition, as one consumer group reads it. Immutable.
 *
 * @param group the consumer group; not empty
 * @param topic the topic; not empty
 * @param topicId the topic's id, or null when it is not known. When a topic was deleted and made
 *     again its id differs, and offsets stored for the former one are forgotten
 * @param partition the partition's number; not negative
 */
public record FenceScope(String group, String topic, @Nullable String topicId, int partition) {
  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if a name is empty or the partition negative
   */
  public FenceScope {
    requireNonNull(group, "group");
    requireNonNull(topic, "topic");
    if (group.isEmpty() || topic.isEmpty()) {
      throw new IllegalArgumentException("a fence needs a group and a topic");
    }
    if (partition < 0) {
      throw new IllegalArgumentException("partition must not be negative: " + partition);
    }
  }

  /** The partition and group, for messages. */
  @Override
  public String toString() {
    return topic + "-" + partition + " of group " + group;
  }
}
