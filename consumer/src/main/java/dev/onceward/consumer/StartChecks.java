package dev.onceward.consumer;

import dev.onceward.consumer.internal.failure.DeadLetters.DeadLetterTopic;
import dev.onceward.consumer.internal.source.ConsumerProperties;
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
import org.apache.kafka.common.errors.InvalidTopicException;
import org.jspecify.annotations.Nullable;

/**
 * What is looked at before a consumer reads anything; each failure is one line. All checks share
 * one budget of time, which begins to run when this is made.
 */
final class StartChecks {

  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

  private final long deadline;
  private final KafkaAdvice advice;

  StartChecks(Duration timeout, KafkaAdvice advice) {
    this.deadline = System.nanoTime() + timeout.toNanos();
    this.advice = advice;
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(deadline - System.nanoTime(), 1_000_000));
  }

  /** Checks the database of the inbox. */
  void checkInbox(@Nullable Inbox inbox) {
    if (inbox == null) {
      return;
    }
    try {
      inbox.verify(left());
    } catch (InboxUnavailableException e) {
      throw new ConsumerStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Checks the topics, and creates dead-letter topics that are missing.
   *
   * @return the dead-letter topic of each topic
   */
  Map<String, DeadLetterTopic> checkTopics(
      ConsumerProperties properties,
      Set<String> topics,
      UnaryOperator<String> deadLetterName,
      boolean create) {
    Admin admin = null;
    try {
      admin = Admin.create(properties.forAdmin(left()));
      Topics looked = new Topics(admin, left());
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
    } catch (InvalidTopicException e) {
      throw new ConsumerStartException(
          "topics: " + String.join(", ", e.invalidTopics()) + ": " + advice.explain(e), e);
    } catch (Exception e) {
      throw new ConsumerStartException(advice.explain(e), advice.safeCause(e));
    } finally {
      if (admin != null) {
        // without a limit it would wait for calls that nobody waits for any more
        admin.close(CLOSE_TIMEOUT);
      }
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
