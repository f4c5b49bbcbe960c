package dev.onceward.testkit.internal;

import java.util.Map;

/** Settings of a single-node broker for tests, whatever it runs in. */
public final class BrokerDefaults {
  private BrokerDefaults() {}

  /**
   * For a broker that is killed: its next start waits until the controller gives up on the former
   * life, after 9 seconds by default. Brokers that are not killed keep the default, as a short
   * session also ends when the machine is busy.
   */
  public static Map<String, String> quickAfterKill() {
    return Map.of("broker.session.timeout.ms", "2000", "broker.heartbeat.interval.ms", "200");
  }

  public static Map<String, String> properties() {
    return Map.ofEntries(
        // one node: each internal topic must live with one replica, and starts faster with one
        // partition
        Map.entry("offsets.topic.replication.factor", "1"),
        Map.entry("offsets.topic.num.partitions", "1"),
        Map.entry("transaction.state.log.replication.factor", "1"),
        Map.entry("transaction.state.log.min.isr", "1"),
        Map.entry("transaction.state.log.num.partitions", "1"),
        Map.entry("share.coordinator.state.topic.replication.factor", "1"),
        Map.entry("share.coordinator.state.topic.min.isr", "1"),
        Map.entry("share.coordinator.state.topic.num.partitions", "1"),
        Map.entry("auto.create.topics.enable", "false"),
        // groups: no waiting for more members, and short times allowed
        Map.entry("group.initial.rebalance.delay.ms", "0"),
        Map.entry("group.streams.initial.rebalance.delay.ms", "0"),
        Map.entry("group.min.session.timeout.ms", "500"),
        Map.entry("group.consumer.min.heartbeat.interval.ms", "100"),
        Map.entry("group.consumer.heartbeat.interval.ms", "500"),
        Map.entry("group.consumer.min.session.timeout.ms", "500"),
        Map.entry("group.share.min.heartbeat.interval.ms", "100"),
        Map.entry("group.share.heartbeat.interval.ms", "500"),
        Map.entry("group.share.min.session.timeout.ms", "500"),
        Map.entry("group.share.min.record.lock.duration.ms", "1000"),
        Map.entry("group.streams.min.heartbeat.interval.ms", "100"),
        Map.entry("group.streams.heartbeat.interval.ms", "500"),
        Map.entry("group.streams.min.session.timeout.ms", "500"),
        // small: the default buffer of 128 MiB is allocated up front
        Map.entry("log.cleaner.dedupe.buffer.size", "2097152"),
        Map.entry("num.network.threads", "2"),
        Map.entry("num.io.threads", "2"),
        Map.entry("background.threads", "2"),
        Map.entry("num.recovery.threads.per.data.dir", "1"));
  }
}
