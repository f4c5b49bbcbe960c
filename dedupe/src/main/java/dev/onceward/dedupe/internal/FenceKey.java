package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.FenceScope;
import java.util.Comparator;

/**
 * Which fence: a scope without the topic's id, which may be known or not.
 *
 * @param group the consumer group
 * @param topic the topic
 * @param partition the partition's number
 */
public record FenceKey(String group, String topic, int partition) implements Comparable<FenceKey> {
  private static final Comparator<FenceKey> ORDER =
      Comparator.comparing(FenceKey::group)
          .thenComparing(FenceKey::topic)
          .thenComparingInt(FenceKey::partition);

  static FenceKey of(FenceScope scope) {
    return new FenceKey(scope.group(), scope.topic(), scope.partition());
  }

  @Override
  public int compareTo(FenceKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return topic + "-" + partition + " of group " + group;
  }
}
