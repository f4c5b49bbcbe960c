package dev.onceward.consumer;

import dev.onceward.consumer.internal.failure.DeadLetters.DeadLetterTopic;
import dev.onceward.consumer.internal.source.Topics;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.producer.internal.KafkaAdvice;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/** What is looked at before a consumer reads anything; each failure is one line. */
final class StartChecks {

  private StartChecks() {}

  /** Checks the database of the inbox. */
  static void checkInbox(@Nullable Inbox inbox, Duration timeout) {
    if (inbox == null) {
      return;
    }
    try {
      inbox.verify(timeout);
    } catch (InboxUnavailableException e) {
      throw new ConsumerStartException("inbox: " + e.getMessage(), e);
    }
  }

  /**
   * Checks the topics, and creates dead-letter topics that are missing.
   *
   * @return the dead-letter topic of each topic
   */
  static Map<String, DeadLetterTopic> checkTopics(
      Map<String, Object> adminProperties,
      Set<String> topics,
      UnaryOperator<String> deadLetterName,
      boolean create,
      Duration timeout,
      KafkaAdvice advice) {
    try (Admin admin = Admin.create(adminProperties)) {
      Topics looked = new Topics(admin, timeout);
      Map<String, Integer> partitions = looked.partitions(topics);
      Set<String> missing = new TreeSet<>(topics);
      missing.removeAll(partitions.keySet());
      if (!missing.isEmpty()) {
        throw new ConsumerStartException(
            "topics: "
                + String.join(", ", missing)
                + " does not exist; create it, or correct the topics of the handlers",
            null);
      }
      return deadLetterTopics(looked, partitions, deadLetterName, create);
    } catch (ConsumerStartException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConsumerStartException("interrupted while starting", e);
    } catch (Exception e) {
      throw new ConsumerStartException(advice.explain(e), advice.safeCause(e));
    }
  }

  private static Map<String, DeadLetterTopic> deadLetterTopics(
      Topics looked,
      Map<String, Integer> partitions,
      UnaryOperator<String> deadLetterName,
      boolean create)
      throws Exception {
    Map<String, String> sourceByName = new TreeMap<>();
    partitions.keySet().forEach(topic -> sourceByName.put(deadLetterName.apply(topic), topic));
    Map<String, Integer> existing = looked.partitions(sourceByName.keySet());
    Map<String, String> missing = new TreeMap<>(sourceByName);
    missing.keySet().removeAll(existing.keySet());
    if (!missing.isEmpty()) {
      if (!create) {
        throw new ConsumerStartException(
            "dead-letter topics: "
                + String.join(", ", missing.keySet())
                + " does not exist; create it, or set createDeadLetterTopics(true)",
            null);
      }
      looked.createDeadLetterTopics(missing, partitions);
    }
    Map<String, DeadLetterTopic> targets = new HashMap<>();
    sourceByName.forEach(
        (name, topic) -> {
          Integer size = partitions.get(topic);
          boolean same = size != null && existing.getOrDefault(name, size).equals(size);
          targets.put(topic, new DeadLetterTopic(name, same ? size : 0));
        });
    return targets;
  }
}
