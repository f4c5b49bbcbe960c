package dev.onceward.testkit;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * A real single-node Kafka broker on the loopback interface. It creates no topics by itself, and
 * its group, session and rebalance times are short: it is for tests and demonstrations.
 * Thread-safe.
 */
public interface KafkaServer extends AutoCloseable {

  /** Starts a broker of the {@linkplain KafkaMode#selected() selected} kind. */
  static KafkaServer start() {
    return start(KafkaSettings.defaults());
  }

  /**
   * Starts a broker of the {@linkplain KafkaMode#selected() selected} kind.
   *
   * @throws TestkitException when it does not start in time; the message ends with its log
   */
  static KafkaServer start(KafkaSettings settings) {
    return switch (KafkaMode.selected()) {
      case EMBEDDED -> InProcessKafka.start(settings);
      case CHILD -> ChildKafka.start(settings);
      case TESTCONTAINERS -> ContainerKafka.start(settings);
    };
  }

  /** {@code host:port} for clients. */
  String bootstrapServers();

  /**
   * What a client needs to connect: {@code bootstrap.servers}, and the security settings where the
   * broker asks for a user. Immutable; may hold a password.
   */
  Map<String, Object> clientProperties();

  /** Creates a topic and waits until each partition's leader serves. */
  default void createTopic(String name, int partitions) {
    createTopic(name, partitions, Map.of());
  }

  /**
   * Creates a topic and waits until each partition's leader serves.
   *
   * @param configs topic configs such as {@code cleanup.policy}
   * @throws TestkitException when the topic exists, or the broker refuses it or cannot be reached
   */
  void createTopic(String name, int partitions, Map<String, String> configs);

  /**
   * Deletes a topic.
   *
   * @throws TestkitException when there is no such topic or the broker cannot be reached
   */
  void deleteTopic(String name);

  /**
   * The offset after the last record of each partition, of open transactions too.
   *
   * @throws TestkitException when there is no such topic or the broker cannot be reached
   */
  Map<TopicPartition, Long> endOffsets(String topic);

  /**
   * Stops the broker; deletes its data unless a directory was given. Does nothing the second time.
   */
  @Override
  void close();
}
