package dev.onceward.it.scene;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;

/** The three ways to be a member of a consumer group. */
public enum GroupProtocol {
  /** Every rebalance revokes all partitions of all members. */
  EAGER,
  /** A rebalance revokes what moves, in two rounds. */
  COOPERATIVE,
  /** The broker assigns (KIP-848); each member moves at its own pace. */
  CONSUMER;

  /** The consumer's properties that choose it. */
  public Map<String, Object> properties() {
    return switch (this) {
      case EAGER -> classic(RangeAssignor.class);
      case COOPERATIVE -> classic(CooperativeStickyAssignor.class);
      case CONSUMER -> Map.of(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
    };
  }

  private static Map<String, Object> classic(Class<?> assignor) {
    return Map.of(
        ConsumerConfig.GROUP_PROTOCOL_CONFIG,
        "classic",
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        assignor.getName(),
        // how soon a member hears of a rebalance
        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
        300);
  }

  public boolean isClassic() {
    return this != CONSUMER;
  }
}
