package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Topic administration with errors that name the topic and the broker. Thread-safe. It connects for
 * each call: a connection that is kept would complain in the log while the broker is down.
 */
public final class TopicAdmin {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Map<String, Object> properties;

  public TopicAdmin(Map<String, Object> clientProperties) {
    this.properties = new HashMap<>(clientProperties);
    // A broker that has just restarted may let a first request run into its timeout.
    properties.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 3_000);
    properties.put(
        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(TIMEOUT.toMillis()));
  }

  /** Creates a topic and waits until each partition's leader serves. */
  public void create(String topic, int partitions, Map<String, String> configs) {
    NewTopic wanted =
        new NewTopic(topic, Optional.of(partitions), Optional.of((short) 1)).configs(configs);
    try (Admin admin = Admin.create(properties)) {
      get(admin.createTopics(List.of(wanted)).all(), "create topic '" + topic + "'");
      Deadline deadline = Deadline.in(TIMEOUT);
      while (!hasLeaders(admin, topic, partitions)) {
        if (deadline.passed()) {
          throw new TestkitException(
              "topic '%s' has no leaders %d s after it was created"
                  .formatted(topic, TIMEOUT.toSeconds()));
        }
        deadline.pause(Duration.ofMillis(20));
      }
      // The broker knows its leaders a little before they serve: this is answered by themselves.
      Map<TopicPartition, OffsetSpec> all =
          IntStream.range(0, partitions)
              .mapToObj(partition -> new TopicPartition(topic, partition))
              .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
      get(admin.listOffsets(all).all(), "reach the leaders of new topic '" + topic + "'");
    }
  }

  private boolean hasLeaders(Admin admin, String topic, int partitions) {
    String what = "describe new topic '" + topic + "'";
    try {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
          .values()
          .stream()
          .map(TopicDescription::partitions)
          .allMatch(
              found ->
                  found.size() == partitions && found.stream().allMatch(p -> p.leader() != null));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw failure(what, e.getCause());
    } catch (TimeoutException e) {
      throw failure(what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(what, e);
    }
  }

  public void delete(String topic) {
    try (Admin admin = Admin.create(properties)) {
      get(admin.deleteTopics(List.of(topic)).all(), "delete topic '" + topic + "'");
    }
  }

  public Map<TopicPartition, Long> endOffsets(String topic) {
    String what = "read the end offsets of topic '" + topic + "'";
    try (Admin admin = Admin.create(properties)) {
      TopicDescription description =
          get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic), what);
      Map<TopicPartition, OffsetSpec> wanted =
          description.partitions().stream()
              .collect(
                  Collectors.toMap(
                      p -> new TopicPartition(topic, p.partition()), p -> OffsetSpec.latest()));
      return get(admin.listOffsets(wanted).all(), what).entrySet().stream()
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, e -> e.getValue().offset()));
    }
  }

  private <T> T get(@Nullable KafkaFuture<T> future, String what) {
    try {
      if (future == null) {
        throw new TestkitException("cannot " + what + ": the broker gave no answer");
      }
      return future.get(TIMEOUT.toSeconds() + 5, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw failure(what, e.getCause());
    } catch (TimeoutException e) {
      throw failure(what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(what, e);
    }
  }

  private TestkitException failure(String what, @Nullable Throwable cause) {
    return new TestkitException(
        "cannot %s at %s: %s"
            .formatted(
                what,
                properties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG),
                cause == null ? "unknown cause" : cause.getMessage()),
        cause);
  }
}
