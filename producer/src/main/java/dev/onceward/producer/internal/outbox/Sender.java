package dev.onceward.producer.internal.outbox;

import static java.util.Objects.requireNonNull;

import dev.onceward.producer.PublishException;
import dev.onceward.producer.internal.KafkaProperties;
import dev.onceward.producer.internal.RecordSender;
import dev.onceward.tracing.EventTracing;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Sends rows as they are, and opens a new producer when the old one is of no use any more. */
final class Sender {
  private static final long REOPEN_INTERVAL = TimeUnit.SECONDS.toNanos(1);

  private final Map<String, Object> properties;
  private final EventTracing tracing;
  private volatile RecordSender sender;
  private long reopenedAt = System.nanoTime() - REOPEN_INTERVAL;

  /**
   * Opens a producer.
   *
   * @throws IllegalArgumentException when a property contradicts or is not valid
   */
  Sender(Map<?, ?> kafkaProperties, EventTracing tracing) {
    // a key's next row waits for the acknowledgement of the one before it: do not linger
    this.properties =
        KafkaProperties.copyOf(kafkaProperties)
            .setDefault(ProducerConfig.LINGER_MS_CONFIG, 0)
            .toMap();
    this.tracing = tracing;
    this.sender = RecordSender.open(properties, tracing);
  }

  /** Sends a row; {@code answered} gets null or the failure, on whatever thread. */
  void send(Row row, Consumer<@Nullable PublishException> answered) {
    ProducerRecord<byte[], byte[]> message = requireNonNull(row.message);
    try {
      sender
          .send(message, tracing.startForward(message), row.id, null)
          .whenComplete((published, failure) -> answered.accept(publishFailure(row, failure)));
    } catch (IllegalStateException e) {
      answered.accept(publishFailure(row, e));
    }
  }

  private static @Nullable PublishException publishFailure(Row row, @Nullable Throwable failure) {
    if (failure == null) {
      return null;
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof PublishException publish
        ? publish
        : new PublishException(row.topic, row.id, null, String.valueOf(cause.getMessage()), cause);
  }

  /**
   * Waits until the metadata of a topic is there, for up to {@code max.block.ms}.
   *
   * @throws PublishException when it does not come
   */
  void requireTopic(String topic) {
    sender.requireTopic(topic);
  }

  /** Opens a new producer, if that was not just done; what the old one had fails. */
  void reopen() {
    long now = System.nanoTime();
    if (now - reopenedAt < REOPEN_INTERVAL) {
      return;
    }
    reopenedAt = now;
    RecordSender old = sender;
    try {
      sender = RecordSender.open(properties, tracing);
    } catch (IllegalArgumentException e) {
      // the properties were good before: names that cannot be resolved just now, as a rule
      Problems.LOG.warn("Outbox relay, sending: {}", e.getMessage());
      return;
    }
    int unused = old.close(Duration.ZERO);
  }

  /** Closes; what is not acknowledged in time stays in the outbox. */
  void close(Duration timeout) {
    int unused = sender.close(timeout);
  }
}
