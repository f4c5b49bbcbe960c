package dev.onceward.producer.internal;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventPolicyException;
import dev.onceward.producer.EventPublisher;
import dev.onceward.producer.PublishException;
import dev.onceward.producer.Published;
import dev.onceward.producer.UnacknowledgedEventsException;
import dev.onceward.tracing.EventTracing.SendSpan;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The publisher: policies, then the record, then the sender. */
public final class KafkaEventPublisher implements EventPublisher {

  private final RecordSender sender;
  private final PublisherConfig config;
  private final EventRecords<SendSpan> records;
  private final AtomicBoolean closed = new AtomicBoolean();

  public KafkaEventPublisher(RecordSender sender, PublisherConfig config) {
    this.sender = sender;
    this.config = config;
    this.records =
        new EventRecords<>(
            config.mode(), config.typeNaming(), config.sizePolicy(), config.tracing()::startSend);
  }

  @Override
  public Event.Builder newEvent(String type) {
    return EventRecords.newEvent(type, config.source());
  }

  @Override
  public Event.Builder newEvent(String type, Object payload) {
    Objects.requireNonNull(payload, "payload: for an event without data call newEvent(type)");
    return newEvent(type).data(payload, config.payloadMapper());
  }

  @Override
  public CompletionStage<Published> publish(String topic, Event event) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(event, "event");
    String illegal = EventRecords.problemOf(topic);
    if (illegal != null) {
      // the client would ask the brokers for it again and again, with every look at its metadata
      return CompletableFuture.failedFuture(
          new PublishException(topic, event.getId(), event.getType(), illegal, null));
    }
    if (closed.get()) {
      throw new IllegalStateException("The publisher is closed.");
    }
    EventRecords.Outgoing<SendSpan> outgoing;
    try {
      outgoing = records.write(topic, event);
    } catch (EventPolicyException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(
          new PublishException(topic, event.getId(), event.getType(), EventRecords.reason(e), e));
    }
    return sender.send(outgoing.record(), outgoing.span(), event.getId(), event.getType());
  }

  @Override
  public void flush() {
    sender.flush();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      int unacknowledged = sender.close(config.closeTimeout());
      if (unacknowledged > 0) {
        throw new UnacknowledgedEventsException(unacknowledged, config.closeTimeout());
      }
    }
  }
}
