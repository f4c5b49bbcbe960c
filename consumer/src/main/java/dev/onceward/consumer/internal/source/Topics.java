package dev.onceward.consumer.internal.source;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;

/** Looks at topics and creates them. Errors come as the exceptions of the Kafka client. */
public final class Topics {

  private static final int DEFAULT_MAX_MESSAGE_BYTES = 1_048_588;
  private static final int HEADER_ROOM_BYTES = 64 * 1024;
  private static final Duration DEAD_LETTER_RETENTION = Duration.ofDays(30);

  private final Admin admin;
  private final Duration timeout;
  private final long deadline;

  /**
   * Uses an admin client that the caller closes.
   *
   * @param timeout how long all looks may take together, from now on
   */
  public Topics(Admin admin, Duration timeout) {
    this.admin = admin;
    this.timeout = timeout;
    this.deadline = System.nanoTime() + timeout.toNanos();
  }

  /**
   * A topic that exists.
   *
   * @param id tells it from one of the same name that was there before, or comes after it
   * @param partitions how many it has
   */
  public record Topic(String id, int partitions) {}

  /** Those of the topics that exist. */
  public Map<String, Topic> find(Collection<String> topics) throws Exception {
    Map<String, Topic> found = new TreeMap<>();
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(topics).topicNameValues();
    for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
      try {
        TopicDescription topic = get(answer.getValue());
        found.put(
            answer.getKey(), new Topic(topic.topicId().toString(), topic.partitions().size()));
      } catch (UnknownTopicOrPartitionException e) {
        // absent from the result
      } catch (InvalidTopicException e) {
        throw new InvalidTopicException(e.getMessage(), Set.of(answer.getKey()));
      }
    }
    return found;
  }

  /** Creates dead-letter topics; one that another process creates meanwhile is as good. */
  public void createDeadLetterTopics(Map<String, String> sourceByName, Map<String, Topic> sources)
      throws Exception {
    Map<String, Integer> messageBytes = maxMessageBytes(new TreeSet<>(sourceByName.values()));
    List<NewTopic> topics =
        sourceByName.entrySet().stream()
            .map(
                entry ->
                    deadLetterTopic(
                        entry.getKey(),
                        sources.get(entry.getValue()) == null
                            ? 1
                            : sources.get(entry.getValue()).partitions(),
                        messageBytes.getOrDefault(entry.getValue(), DEFAULT_MAX_MESSAGE_BYTES)))
            .toList();
    for (KafkaFuture<Void> created : admin.createTopics(topics).values().values()) {
      try {
        get(created);
      } catch (TopicExistsException e) {
        // another consumer of the group was quicker
      }
    }
  }

  private static NewTopic deadLetterTopic(String name, int partitions, int sourceMessageBytes) {
    Map<String, String> config = new HashMap<>();
    config.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    config.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(DEAD_LETTER_RETENTION.toMillis()));
    // kept from when they arrive: an old record's letter would be past its retention at once
    config.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, TimestampType.LOG_APPEND_TIME.name);
    // room for what a dead letter adds to a record that fitted the source just so, and for one that
    // its sender had compressed better
    config.put(
        TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
        Long.toString(Math.min(2L * sourceMessageBytes + HEADER_ROOM_BYTES, Integer.MAX_VALUE)));
    return new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(config);
  }

  private Map<String, Integer> maxMessageBytes(Set<String> topics) throws Exception {
    Map<String, Integer> sizes = new HashMap<>();
    // of those whose settings may not be read, the default will do
    settings(topics)
        .forEach(
            (topic, config) ->
                sizes.put(
                    topic,
                    Integer.parseInt(config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value())));
    return sizes;
  }

  /**
   * How long the topics keep their records, as far as their settings may be read; empty for those
   * that keep the last record of each key, or all, for ever.
   */
  public Map<String, Optional<Duration>> retentions(Set<String> topics) throws Exception {
    Map<String, Optional<Duration>> retentions = new TreeMap<>();
    settings(topics)
        .forEach(
            (topic, config) -> {
              long millis = Long.parseLong(config.get(TopicConfig.RETENTION_MS_CONFIG).value());
              String policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
              boolean deletes = policy.contains(TopicConfig.CLEANUP_POLICY_DELETE);
              retentions.put(
                  topic,
                  deletes && millis >= 0
                      ? Optional.of(Duration.ofMillis(millis))
                      : Optional.empty());
            });
    return retentions;
  }

  private Map<String, Config> settings(Set<String> topics) throws Exception {
    Map<String, Config> settings = new HashMap<>();
    List<ConfigResource> resources =
        topics.stream().map(t -> new ConfigResource(ConfigResource.Type.TOPIC, t)).toList();
    for (Map.Entry<ConfigResource, KafkaFuture<Config>> answer :
        admin.describeConfigs(resources).values().entrySet()) {
      try {
        settings.put(answer.getKey().name(), get(answer.getValue()));
      } catch (AuthorizationException e) {
        // may use topics and not read their settings
      }
    }
    return settings;
  }

  private <T> T get(KafkaFuture<T> future) throws Exception {
    try {
      return future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(
          "no answer within " + timeout.toMillis() + " ms");
    }
  }
}
