package dev.onceward.consumer.internal.failure;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Sends dead letters. Thread-safe. */
public final class DeadLetters {

  private final Sender sender;
  private final Map<String, DeadLetterTopic> topics;
  private final Function<FailedDelivery, @Nullable String> handlerIds;

  /**
   * Creates the sender of dead letters.
   *
   * @param topics the dead-letter topic of each topic read
   * @param handlerIds the handler that a dead letter names; null when no handler takes the event
   */
  public DeadLetters(
      Sender sender,
      Map<String, DeadLetterTopic> topics,
      Function<FailedDelivery, @Nullable String> handlerIds) {
    this.sender = sender;
    this.topics = Map.copyOf(topics);
    this.handlerIds = handlerIds;
  }

  /**
   * A dead-letter topic.
   *
   * @param name its name
   * @param samePartitions how many partitions it and the topic it serves both had at start, when
   *     they were as many; otherwise 0, and the key decides. A partition that is added later has no
   *     counterpart
   */
  public record DeadLetterTopic(String name, int samePartitions) {}

  /** Sends a record; the stage completes when the broker has acknowledged it. */
  @FunctionalInterface
  public interface Sender {
    CompletionStage<?> send(ProducerRecord<byte[], byte[]> record);
  }

  /** The dead-letter topic of a topic. */
  public String topicFor(String topic) {
    return target(topic).name();
  }

  /**
   * Sends the dead letter; the stage fails when the broker has not acknowledged it. Never throws.
   */
  public CompletionStage<?> send(FailedDelivery failed) {
    try {
      DeadLetterTopic target = target(failed.delivery().topic());
      int source = failed.delivery().partition();
      @Nullable Integer partition = source < target.samePartitions() ? source : null;
      return sender.send(
          DeadLetterRecords.of(failed, handlerIds.apply(failed), target.name(), partition));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private DeadLetterTopic target(String topic) {
    DeadLetterTopic target = topics.get(topic);
    if (target == null) {
      throw new IllegalStateException("no dead-letter topic is known for topic " + topic);
    }
    return target;
  }
}
