package dev.onceward.envelope;

/** The names of topics; replace it to use your own. */
public interface TopicConventions {
  /** {@code <domain>.<entity>.events}. */
  String eventsTopic(String domain, String entity);

  /** {@code <topic>.<group>.dlq}. */
  String deadLetterTopic(String topic, String group);
}
