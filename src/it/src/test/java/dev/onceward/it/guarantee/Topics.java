package dev.onceward.it.guarantee;

import static dev.onceward.it.scene.Scene.eventually;

import dev.onceward.it.scene.Scene;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The topics of a trial. Thread-safe. */
final class Topics {

  private static final int PARTITIONS = 4;
  private static final int FEW_PARTITIONS = 2;

  private final Scene scene;
  private final Map<String, Integer> partitions = new LinkedHashMap<>();
  private final String orders;
  private final String payments;
  private final String cut;
  private final String compacted;

  /** Creates them; with faults there are two that lose records. */
  Topics(Scene scene, boolean faults) {
    this.scene = scene;
    orders = create("orders", PARTITIONS, Map.of());
    payments = create("payments", PARTITIONS, Map.of());
    cut = faults ? create("cut", FEW_PARTITIONS, Map.of()) : "";
    compacted =
        faults
            ? create(
                "compacted",
                FEW_PARTITIONS,
                Map.of(
                    "cleanup.policy", "compact",
                    "segment.ms", "500",
                    "min.cleanable.dirty.ratio", "0.01",
                    "max.compaction.lag.ms", "500"))
            : "";
    if (faults) {
      // by default the broker looks for something to compact every 15 s
      configure(
          new ConfigResource(ConfigResource.Type.BROKER, ""),
          Map.of("log.cleaner.backoff.ms", "300"));
    }
  }

  private String create(String name, int count, Map<String, String> configs) {
    String topic = scene.topic(name, count, configs);
    partitions.put(topic, count);
    return topic;
  }

  /** Written in transactions. */
  String orders() {
    return orders;
  }

  /** Has the same keys as {@link #orders}. */
  String payments() {
    return payments;
  }

  /** Is cut off under the consumers; empty without faults. */
  String cut() {
    return cut;
  }

  /** Is compacted under the consumers; empty without faults. */
  String compacted() {
    return compacted;
  }

  List<String> names() {
    return List.copyOf(partitions.keySet());
  }

  Map<String, Integer> partitions() {
    return Map.copyOf(partitions);
  }

  int partitions(String topic) {
    Integer count = partitions.get(topic);
    if (count == null) {
      throw new IllegalArgumentException("no topic " + topic);
    }
    return count;
  }

  /** The offsets after the last records and markers. */
  Map<TopicPartition, Long> ends() {
    Map<TopicPartition, Long> ends = new HashMap<>();
    names().forEach(topic -> ends.putAll(scene.kafka().endOffsets(topic)));
    return ends;
  }

  /** Drops the records below an offset. */
  void cutOff(TopicPartition partition, long before) {
    try {
      scene
          .admin()
          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before)))
          .all()
          .get();
    } catch (ExecutionException e) {
      throw new AssertionError(partition + " cannot be cut off", e.getCause());
    } catch (InterruptedException e) {
      throw Scene.interrupted(e);
    }
  }

  /** Makes the consumer protocol find out soon that a member is dead. */
  void shortenSession(int millis) {
    configure(
        new ConfigResource(ConfigResource.Type.GROUP, scene.group()),
        Map.of(
            "consumer.session.timeout.ms",
            Integer.toString(millis),
            "consumer.heartbeat.interval.ms",
            "300"));
  }

  private void configure(ConfigResource resource, Map<String, String> configs) {
    Collection<AlterConfigOp> changes =
        configs.entrySet().stream()
            .map(e -> new AlterConfigOp(new ConfigEntry(e.getKey(), e.getValue()), OpType.SET))
            .toList();
    try {
      scene.admin().incrementalAlterConfigs(Map.of(resource, changes)).all().get();
    } catch (ExecutionException e) {
      throw new AssertionError(resource + " cannot be configured", e.getCause());
    } catch (InterruptedException e) {
      throw Scene.interrupted(e);
    }
  }

  /** Waits until the group has committed all that there is. */
  void awaitCommitted() {
    eventually()
        .until(
            () -> {
              var committed = scene.committed(scene.group());
              return ends().entrySet().stream()
                  .filter(end -> end.getValue() > 0)
                  .allMatch(
                      end -> {
                        var offset = committed.get(end.getKey());
                        return offset != null && offset.offset() >= end.getValue();
                      });
            });
  }
}
