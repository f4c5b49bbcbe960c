package dev.onceward.examples;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.BootstrapResolutionException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** What the examples ask of an admin client; every failure is one line. */
public final class TopicAdmin implements AutoCloseable {

  private final Admin admin;
  private final String servers;
  private final Duration timeout;

  /** Connects with the properties of the examples' Kafka clients. */
  public TopicAdmin(Map<String, Object> kafkaProperties, Duration timeout) {
    Map<String, Object> properties = new HashMap<>(kafkaProperties);
    int millis = (int) timeout.toMillis();
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(millis, 5_000));
    this.servers = "bootstrap.servers=" + properties.get("bootstrap.servers");
    this.timeout = timeout;
    try {
      this.admin = Admin.create(properties);
    } catch (RuntimeException e) {
      throw refused(e);
    }
  }

  private DemoFailure refused(RuntimeException error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = String.valueOf(cause.getMessage());
    if (message.contains("JAAS") || message.contains("jaas")) {
      // neither the message nor the cause: they quote what may be a part of the password
      return new DemoFailure(
          "--kafka-property sasl.jaas.config cannot be read; write <LoginModule class> required"
              + " username=\"...\" password=\"...\";");
    }
    if (message.contains("resolvable bootstrap")) {
      return unresolved(error);
    }
    if (message.contains("bootstrap.servers")) {
      return new DemoFailure(
          "--bootstrap-servers: " + message + "; use host:port, such as localhost:9092", error);
    }
    return new DemoFailure("--kafka-property: " + message, error);
  }

  private DemoFailure unresolved(Throwable cause) {
    return new DemoFailure(
        servers + ": no host name in it can be resolved; correct it or check DNS", cause);
  }

  /** Creates a topic unless it is there. */
  public void create(String topic, int partitions) {
    NewTopic wanted = new NewTopic(topic, Optional.of(partitions), Optional.empty());
    try {
      get(admin.createTopics(List.of(wanted)).all(), "create topic " + topic);
    } catch (DemoFailure e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  /** The offsets after the last record of each partition. */
  public Map<TopicPartition, Long> ends(String topic) {
    TopicDescription description =
        get(
            admin.describeTopics(Set.of(topic)).topicNameValues().get(topic),
            "describe topic " + topic);
    Map<TopicPartition, OffsetSpec> latest =
        description.partitions().stream()
            .collect(
                Collectors.toMap(
                    p -> new TopicPartition(topic, p.partition()), p -> OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    get(admin.listOffsets(latest).all(), "list the offsets of topic " + topic)
        .forEach((partition, result) -> ends.put(partition, result.offset()));
    return ends;
  }

  /** Whether the members of a group have shared out its partitions; false before it exists. */
  public boolean isStable(String group) {
    try {
      return get(
                  admin.describeConsumerGroups(Set.of(group)).describedGroups().get(group),
                  "describe group " + group)
              .groupState()
          == GroupState.STABLE;
    } catch (DemoFailure e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return false;
      }
      throw e;
    }
  }

  /** How many records lie between what a group has committed and the ends. */
  public long lag(String group, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, OffsetAndMetadata> committed =
        get(
            admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(),
            "list the offsets of group " + group);
    long lag = 0;
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      OffsetAndMetadata offset = committed.get(end.getKey());
      lag += end.getValue() - (offset == null ? 0 : offset.offset());
    }
    return lag;
  }

  private <T> T get(@Nullable KafkaFuture<T> future, String what) {
    try {
      return Objects.requireNonNull(future).get(timeout.toMillis() + 1_000, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoFailure("interrupted", e);
    } catch (java.util.concurrent.TimeoutException e) {
      throw unreachable(e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof BootstrapResolutionException) {
        throw unresolved(cause);
      }
      if (cause instanceof TimeoutException) {
        throw unreachable(cause);
      }
      if (cause instanceof AuthenticationException) {
        throw new DemoFailure(
            "sasl.jaas.config: the broker at "
                + servers
                + " refused the credentials; correct user and password",
            cause);
      }
      if (cause instanceof UnknownTopicOrPartitionException) {
        throw new DemoFailure(
            "could not "
                + what
                + " at "
                + servers
                + ": it does not exist; create it or leave out --no-create",
            cause);
      }
      throw new DemoFailure(
          "could not " + what + " at " + servers + ": " + cause.getMessage(), cause);
    }
  }

  private DemoFailure unreachable(Throwable cause) {
    return new DemoFailure(
        servers
            + ": no broker answered within "
            + timeout.toSeconds()
            + " s; check that it runs there and that security.protocol fits",
        cause);
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
