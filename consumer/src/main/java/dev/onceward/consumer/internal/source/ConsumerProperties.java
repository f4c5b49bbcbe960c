package dev.onceward.consumer.internal.source;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** The user's Kafka properties, checked and completed. Immutable. */
public final class ConsumerProperties {

  private static final Duration DEFAULT_MAX_POLL_INTERVAL = Duration.ofMinutes(5);
  private static final int DEFAULT_MAX_POLL_RECORDS = ConsumerConfig.DEFAULT_MAX_POLL_RECORDS;
  private static final Duration DEFAULT_DRAIN_BUDGET = Duration.ofSeconds(10);

  private final Map<String, Object> user;
  private final String group;
  private final int maxPollRecords;

  private ConsumerProperties(Map<String, Object> user, String group, int maxPollRecords) {
    this.user = user;
    this.group = group;
    this.maxPollRecords = maxPollRecords;
  }

  /** Checks the properties and adds what is wrong to {@code problems}, a line each. */
  public static ConsumerProperties of(
      Map<String, ?> properties, String group, List<String> problems) {
    Map<String, Object> user = new HashMap<>();
    properties.forEach(
        (name, value) -> {
          if (value != null) {
            user.put(name, value);
          }
        });
    if (isBlank(user.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG))) {
      problems.add("bootstrap.servers is not set; set it to the brokers' host:port list");
    }
    Object autoCommit = user.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
    if (autoCommit != null && !autoCommit.toString().equalsIgnoreCase("false")) {
      problems.add(
          "enable.auto.commit=true contradicts Onceward, which commits what is done; remove it");
    }
    Object groupId = user.get(ConsumerConfig.GROUP_ID_CONFIG);
    if (groupId != null && !groupId.equals(group)) {
      problems.add(
          "group.id=" + groupId + " contradicts group(\"" + group + "\"); remove the property");
    }
    for (String name :
        List.of(
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG)) {
      if (user.containsKey(name) && !isByteArray(user.get(name))) {
        problems.add(
            name
                + " is set, but Onceward reads bytes and decodes with its PayloadMapper; remove it");
      }
    }
    int maxPollRecords =
        (int)
            Math.min(
                number(
                    user,
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                    DEFAULT_MAX_POLL_RECORDS,
                    problems),
                Integer.MAX_VALUE);
    return new ConsumerProperties(user, group, maxPollRecords);
  }

  /** For the group's consumer, whose polls bring {@link #pollRecords} at most. */
  public Map<String, Object> forConsumer(int maxInFlightRecords) {
    Map<String, Object> properties = new HashMap<>(user);
    // latest, the client's default, loses what is published before the group's first commit
    properties.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.putIfAbsent(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, pollRecords(maxInFlightRecords));
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return properties;
  }

  /**
   * The records that one poll brings at most: {@code max.poll.records}, but no more than a
   * twentieth of what may be in flight, so that a poll does not take the shares of other
   * partitions.
   */
  public int pollRecords(int maxInFlightRecords) {
    return Math.min(maxPollRecords, Math.max(1, maxInFlightRecords / 20));
  }

  /** For an admin client that gives up after {@code timeout}. */
  public Map<String, Object> forAdmin(Duration timeout) {
    Map<String, Object> properties = without(AdminClientConfig.configNames());
    int millis = (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE);
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(millis, 5_000));
    return properties;
  }

  /** For the producer of dead letters. */
  public Map<String, Object> forProducer() {
    Map<String, Object> properties = without(ProducerConfig.configNames());
    // a dead letter is a little larger than a record that the broker has taken
    properties.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 32 * 1024 * 1024);
    // brokers limit the compressed size: what fitted compressed would be refused for ever otherwise
    // the one that needs no native code, of which newer JVMs warn
    properties.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
    return properties;
  }

  /**
   * How long revoke and stop may wait for handlers: the wanted time, by default 10 s or half of
   * {@code max.poll.interval.ms}, whichever is shorter.
   */
  public Duration drainBudget(@Nullable Duration wanted, List<String> problems) {
    Duration maxPollInterval = maxPollInterval(problems);
    Duration half = maxPollInterval.dividedBy(2);
    if (wanted == null) {
      return half.compareTo(DEFAULT_DRAIN_BUDGET) < 0 ? half : DEFAULT_DRAIN_BUDGET;
    }
    if (wanted.isNegative()) {
      problems.add("drainBudget must not be less than zero, but is " + wanted);
    }
    if (wanted.compareTo(half) > 0) {
      problems.add(
          String.format(
              Locale.ROOT,
              "drainBudget of %d ms is more than half of max.poll.interval.ms=%d: a rebalance would"
                  + " throw the consumer out; shorten the one or lengthen the other",
              wanted.toMillis(),
              maxPollInterval.toMillis()));
    }
    return wanted;
  }

  private Duration maxPollInterval(List<String> problems) {
    return Duration.ofMillis(
        number(
            user,
            ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
            DEFAULT_MAX_POLL_INTERVAL.toMillis(),
            problems));
  }

  private static long number(
      Map<String, Object> properties, String name, long whenUnset, List<String> problems) {
    Object value = properties.get(name);
    if (value == null) {
      return whenUnset;
    }
    try {
      return Long.parseLong(value.toString().trim());
    } catch (NumberFormatException e) {
      problems.add(name + "=" + value + " is no number; set a whole number or remove it");
      return whenUnset;
    }
  }

  /** The user's properties without those that only a consumer knows. */
  private Map<String, Object> without(Set<String> known) {
    List<String> consumerOnly = new ArrayList<>(ConsumerConfig.configNames());
    consumerOnly.removeAll(known);
    Map<String, Object> properties = new HashMap<>(user);
    consumerOnly.forEach(properties::remove);
    // plug-ins are named by the same keys, but are of other types for other clients
    properties.remove(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
    return properties;
  }

  private static boolean isBlank(@Nullable Object value) {
    return value == null || value.toString().isBlank() || value.toString().equals("[]");
  }

  private static boolean isByteArray(@Nullable Object deserializer) {
    return deserializer == ByteArrayDeserializer.class
        || ByteArrayDeserializer.class.getName().equals(deserializer)
        || deserializer instanceof ByteArrayDeserializer;
  }
}
