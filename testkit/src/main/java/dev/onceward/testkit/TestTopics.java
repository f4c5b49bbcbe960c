package dev.onceward.testkit;

import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/**
 * Names that no other test uses, and topics of such names, on a broker that tests share. Topics
 * live as long as the broker. Thread-safe.
 */
public final class TestTopics {
  private final KafkaServer kafka;
  private final String suffix;

  private TestTopics(KafkaServer kafka, String suffix) {
    this.kafka = kafka;
    this.suffix = suffix;
  }

  /** Names of their own, ending alike. */
  public static TestTopics on(KafkaServer kafka) {
    return new TestTopics(
        kafka, UUID.randomUUID().toString().substring(0, 8).toLowerCase(Locale.ROOT));
  }

  /** The broker that the topics are on. */
  public KafkaServer kafka() {
    return kafka;
  }

  /** The test's own form of {@code name}, the same each time: for a topic that need not exist. */
  public String name(String name) {
    return name + "-" + suffix;
  }

  /** The test's own form of a consumer group's name, the same each time. */
  public String group(String name) {
    return name(name);
  }

  /** Creates a topic and returns its full name. */
  public String create(String name, int partitions) {
    return create(name, partitions, Map.of());
  }

  /**
   * Creates a topic and returns its full name.
   *
   * @param configs topic configs such as {@code cleanup.policy}
   * @throws TestkitException when this test created it before, or the broker refuses it
   */
  public String create(String name, int partitions, Map<String, String> configs) {
    String topic = name(name);
    kafka.createTopic(topic, partitions, configs);
    return topic;
  }
}
