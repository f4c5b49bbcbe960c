package dev.onceward.producer;

import dev.onceward.envelope.Event;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletionStage;

/**
 * Publishes events to Kafka: each is acknowledged by all in-sync replicas, written once per publish
 * whatever the producer retries, and in the order of publishing for each entity key.
 *
 * <pre>{@code
 * try (EventPublisher publisher =
 *     EventPublisher.builder(kafkaProperties).source(URI.create("/orders")).build()) {
 *   Event placed =
 *       publisher.newEvent("com.acme.orders.placed.v1", order).subject(order.id()).build();
 *   publisher.publish("orders.order.events", placed).toCompletableFuture().join();
 * }
 * }</pre>
 *
 * <p>Kafka properties are yours and are passed on. Onceward sets the serializers, {@code acks=all}
 * and {@code enable.idempotence=true}; it refuses {@code key.serializer}, {@code value.serializer},
 * {@code transactional.id}, and values of {@code acks}, {@code enable.idempotence}, {@code
 * max.in.flight.requests.per.connection}, {@code retries} and {@code partitioner.ignore.keys} that
 * would lose, double or reorder events. {@code max.block.ms} is 10 s unless you set it (Kafka: 60
 * s).
 *
 * <p>Implementations are thread-safe. Use one publisher per application.
 */
public interface EventPublisher extends AutoCloseable {

  /** A builder for a publisher with these Kafka properties. */
  static EventPublisherBuilder builder(Map<String, ?> kafkaProperties) {
    return new EventPublisherBuilder(kafkaProperties);
  }

  /** A builder for a publisher with these Kafka properties and their defaults. */
  static EventPublisherBuilder builder(Properties kafkaProperties) {
    return new EventPublisherBuilder(kafkaProperties);
  }

  /**
   * Starts an event of this type with a new UUIDv7 id, the time now and the publisher's source.
   * Nothing is sent.
   */
  Event.Builder newEvent(String type);

  /**
   * Like {@link #newEvent(String)}, with {@code payload} as the data, written by the publisher's
   * payload mapper.
   *
   * @throws dev.onceward.envelope.PayloadException when the payload cannot be written
   */
  Event.Builder newEvent(String type, Object payload);

  /**
   * Sends {@code event} with its entity key as the record key, the trace context of the calling
   * thread and, where it has none yet, {@code ce_traceparent}.
   *
   * <p>The call returns at once as a rule. It blocks for up to {@code max.block.ms} when the
   * topic's metadata is not known yet (the first event of a topic, or no broker answers) or the
   * send buffer is full.
   *
   * @return completed when the event is acknowledged by all in-sync replicas, or with a {@link
   *     PublishException} when a policy refuses it or it was not acknowledged within {@code
   *     delivery.timeout.ms}. It completes on the producer's I/O thread: what follows must not
   *     block or wait for other events; use the {@code Async} methods for that.
   * @throws NullPointerException when an argument is null
   * @throws IllegalStateException when the publisher is closed
   */
  CompletionStage<Published> publish(String topic, Event event);

  /**
   * Waits until every event published so far is acknowledged or has failed, for up to {@code
   * delivery.timeout.ms}; look at the stages for the outcome. Must not be called from a stage.
   */
  void flush();

  /**
   * Refuses further events and waits for those published, for up to the close timeout. Closing
   * again does nothing.
   *
   * @throws UnacknowledgedEventsException when some were not acknowledged; it says how many
   */
  @Override
  void close();
}
