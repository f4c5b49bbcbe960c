package dev.onceward.producer.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.envelope.EventHeaders;
import dev.onceward.producer.PublishException;
import dev.onceward.producer.Published;
import dev.onceward.tracing.EventTracing;
import dev.onceward.tracing.EventTracing.SendSpan;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Sends records and reports, for each, the broker's acknowledgement or what went wrong and how to
 * mend it. Every event that leaves goes through here: published ones and dead letters alike.
 * Thread-safe.
 */
public final class RecordSender {

  private final Producer<byte[], byte[]> producer;
  private final EventTracing tracing;
  private final KafkaAdvice advice;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger failedInClose = new AtomicInteger();
  private volatile boolean closed;

  RecordSender(Producer<byte[], byte[]> producer, EventTracing tracing, KafkaAdvice advice) {
    this.producer = producer;
    this.tracing = tracing;
    this.advice = advice;
  }

  /**
   * Opens a sender with its own producer. No connection is waited for.
   *
   * @param kafkaProperties the user's properties; see {@code EventPublisher} for those refused
   * @throws IllegalArgumentException when a property contradicts or is not valid, in one line that
   *     names it
   */
  public static RecordSender open(Map<?, ?> kafkaProperties, EventTracing tracing) {
    Map<String, Object> settings = ProducerSettings.of(kafkaProperties);
    KafkaAdvice advice = KafkaAdvice.on(settings);
    try {
      return new RecordSender(new KafkaProducer<>(settings), tracing, advice);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "The Kafka producer cannot be created: " + advice.explain(e) + '.', advice.safeCause(e));
    }
  }

  /**
   * Sends a copy of {@code record} in a span of its own; the record itself is not changed and may
   * have been sent before.
   *
   * @return completed with the acknowledgement, or with a {@link PublishException}; on the
   *     producer's I/O thread, which what follows must not block
   * @throws IllegalStateException when this sender is closed
   */
  public CompletionStage<Published> send(ProducerRecord<byte[], byte[]> record) {
    ensureOpen();
    ProducerRecord<byte[], byte[]> copy =
        new ProducerRecord<>(
            record.topic(),
            record.partition(),
            record.timestamp(),
            record.key(),
            record.value(),
            record.headers());
    Headers headers = copy.headers();
    return send(
        copy,
        tracing.startSend(copy),
        text(headers, EventHeaders.ID, EventHeaders.EVENT_ID),
        text(headers, EventHeaders.TYPE));
  }

  /**
   * Sends {@code record} in a span that was started for it and has set its headers; ends the span.
   *
   * @param eventId the id to report, or null when the record is no event
   * @param eventType the type to report, or null when it is not known
   * @see #send(ProducerRecord)
   */
  public CompletionStage<Published> send(
      ProducerRecord<byte[], byte[]> record,
      SendSpan span,
      @Nullable String eventId,
      @Nullable String eventType) {
    try {
      ensureOpen();
    } catch (IllegalStateException e) {
      span.failed(e);
      throw e;
    }
    Sending sending = new Sending(record.topic(), span, eventId, eventType);
    pending.incrementAndGet();
    try {
      // the callback gets all that the future would
      var unused = producer.send(record, sending);
    } catch (RuntimeException e) {
      sending.failed(e);
    }
    return sending.result;
  }

  /**
   * Waits until the producer knows a topic, for up to {@code max.block.ms}: a send to it does not
   * block for that then.
   *
   * @throws PublishException when the topic is not there, may not be written to, or no broker
   *     answers
   * @throws IllegalStateException when this sender is closed
   */
  public void requireTopic(String topic) {
    ensureOpen();
    try {
      var unused = producer.partitionsFor(topic);
    } catch (KafkaException e) {
      throw new PublishException(topic, null, null, advice.explain(e), advice.safeCause(e));
    }
  }

  /** Waits until every record sent so far is acknowledged or has failed. */
  public void flush() {
    producer.flush();
  }

  /** How many records are sent and neither acknowledged nor failed. */
  public int pending() {
    return pending.get();
  }

  /**
   * Refuses further records, waits for those sent and gives up on the rest after {@code timeout}.
   * Closing again does nothing.
   *
   * @return how many records were not acknowledged
   */
  public int close(Duration timeout) {
    closed = true;
    producer.close(timeout);
    return failedInClose.get() + pending.get();
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("The publisher is closed.");
    }
  }

  private static @Nullable String text(Headers headers, String... names) {
    for (String name : names) {
      Header header = headers.lastHeader(name);
      if (header != null && header.value() != null) {
        return new String(header.value(), UTF_8);
      }
    }
    return null;
  }

  /** One record on its way; ends exactly once. */
  private final class Sending implements Callback {

    private final String topic;
    private final SendSpan span;
    private final @Nullable String eventId;
    private final @Nullable String eventType;
    private final CompletableFuture<Published> result = new CompletableFuture<>();
    private final AtomicBoolean ended = new AtomicBoolean();

    Sending(String topic, SendSpan span, @Nullable String eventId, @Nullable String eventType) {
      this.topic = topic;
      this.span = span;
      this.eventId = eventId;
      this.eventType = eventType;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception error) {
      if (error != null) {
        failed(error);
      } else if (metadata == null) {
        failed(new IllegalStateException("the producer gave neither a result nor an error"));
      } else if (ended.compareAndSet(false, true)) {
        pending.decrementAndGet();
        span.sent(metadata.partition(), metadata.offset());
        result.complete(
            new Published(metadata.topic(), metadata.partition(), metadata.offset(), eventId));
      }
    }

    void failed(Exception error) {
      if (ended.compareAndSet(false, true)) {
        if (closed) { // before it leaves pending, so that close counts it in one place at least
          failedInClose.incrementAndGet();
        }
        pending.decrementAndGet();
        span.failed(error);
        result.completeExceptionally(
            new PublishException(
                topic, eventId, eventType, reason(error), advice.safeCause(error)));
      }
    }

    private String reason(Exception error) {
      return closed
          ? "the publisher was closed before the brokers acknowledged it"
          : advice.explain(error);
    }
  }
}
