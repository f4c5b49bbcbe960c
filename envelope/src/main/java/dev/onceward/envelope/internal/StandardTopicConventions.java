package dev.onceward.envelope.internal;

import dev.onceward.envelope.TopicConventions;
import java.util.regex.Pattern;

/** The house's names of topics. */
public final class StandardTopicConventions implements TopicConventions {
  public static final StandardTopicConventions INSTANCE = new StandardTopicConventions();

  /** Kafka's own limits (org.apache.kafka.common.internals.Topic, which is not API). */
  private static final int MAX_LENGTH = 249;

  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]+");

  private StandardTopicConventions() {}

  @Override
  public String eventsTopic(String domain, String entity) {
    String name = legal("domain", domain) + "." + legal("entity", entity) + ".events";
    if (name.length() > MAX_LENGTH) {
      throw tooLong(name, "shorten the domain or the entity");
    }
    return name;
  }

  @Override
  public String deadLetterTopic(String topic, String group) {
    String name = legal("topic", topic) + "." + legal("group", group) + ".dlq";
    if (name.length() > MAX_LENGTH) {
      throw tooLong(
          name, "shorten the group id, or name dead-letter topics by your own convention");
    }
    return name;
  }

  private static String legal(String what, String part) {
    if (!LEGAL.matcher(part).matches()) {
      throw new IllegalArgumentException(
          "The %s '%s' cannot be part of a topic name, which is of ASCII letters, digits, '.', '_' and '-': rename it, or name topics by your own TopicConventions"
              .formatted(what, part));
    }
    return part;
  }

  private static IllegalArgumentException tooLong(String name, String fix) {
    return new IllegalArgumentException(
        "Topic name '%s' has %d characters and Kafka allows %d: %s"
            .formatted(name, name.length(), MAX_LENGTH, fix));
  }
}
