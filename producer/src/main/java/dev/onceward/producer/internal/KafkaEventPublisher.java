package dev.onceward.producer.internal;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventHeaders;
import dev.onceward.envelope.EventPolicyException;
import dev.onceward.envelope.EventWriter;
import dev.onceward.producer.ContentMode;
import dev.onceward.producer.EventPublisher;
import dev.onceward.producer.PublishException;
import dev.onceward.producer.Published;
import dev.onceward.producer.UnacknowledgedEventsException;
import dev.onceward.tracing.EventTracing.SendSpan;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** The publisher: policies, then the record, then the sender. */
public final class KafkaEventPublisher implements EventPublisher {

  private static final Pattern LEGAL_TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final List<String> HOP_HEADERS =
      List.of(EventHeaders.TRACEPARENT, EventHeaders.TRACESTATE, EventHeaders.BAGGAGE);

  /** Against types made up at run time; those beyond it are looked at each time. */
  private static final int MAX_ACCEPTED_TYPES = 1_000;

  private final RecordSender sender;
  private final PublisherConfig config;
  private final Set<String> acceptedTypes = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  public KafkaEventPublisher(RecordSender sender, PublisherConfig config) {
    this.sender = sender;
    this.config = config;
  }

  @Override
  public Event.Builder newEvent(String type) {
    Event.Builder event = Event.builder().type(type);
    return config.source() == null ? event : event.source(config.source());
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
    if (!LEGAL_TOPIC.matcher(topic).matches()) {
      // the client would ask the brokers for it again and again, with every look at its metadata
      return CompletableFuture.failedFuture(
          new PublishException(
              topic,
              event.getId(),
              event.getType(),
              "the topic name is not legal: use 1 to 249 ASCII letters, digits, '.', '_' and '-'",
              null));
    }
    if (closed.get()) {
      throw new IllegalStateException("The publisher is closed.");
    }
    Outgoing outgoing;
    try {
      enforceNaming(event);
      config.sizePolicy().enforce(event);
      outgoing =
          config.mode() == ContentMode.STRUCTURED ? structured(topic, event) : binary(topic, event);
    } catch (EventPolicyException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(
          new PublishException(topic, event.getId(), event.getType(), reason(e), e));
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

  /** The rule looks at the type alone, so one look at each type is enough. */
  private void enforceNaming(Event event) {
    String type = event.getType();
    if (!acceptedTypes.contains(type)) {
      config.typeNaming().enforce(event);
      if (acceptedTypes.size() < MAX_ACCEPTED_TYPES) {
        acceptedTypes.add(type);
      }
    }
  }

  private record Outgoing(ProducerRecord<byte[], byte[]> record, SendSpan span) {}

  private Outgoing binary(String topic, Event event) {
    ProducerRecord<byte[], byte[]> record = EventWriter.binary().write(topic, event);
    return new Outgoing(record, config.tracing().startSend(record));
  }

  /**
   * The origin is part of the value here, so a new event must know its span before it is written:
   * its binary form takes the context first, and passes it on.
   */
  private Outgoing structured(String topic, Event event) {
    if (event.originTraceparent().isPresent()) {
      ProducerRecord<byte[], byte[]> record = EventWriter.structured().write(topic, event);
      return new Outgoing(record, config.tracing().startSend(record));
    }
    ProducerRecord<byte[], byte[]> carrier = EventWriter.binary().write(topic, event);
    SendSpan span = config.tracing().startSend(carrier);
    try {
      Event known = event.toBuilder().originTraceparent(span.originTraceparent()).build();
      ProducerRecord<byte[], byte[]> record = EventWriter.structured().write(topic, known);
      HOP_HEADERS.forEach(name -> move(name, carrier.headers(), record.headers()));
      return new Outgoing(record, span);
    } catch (RuntimeException e) {
      span.failed(e);
      throw e;
    }
  }

  private static void move(String name, Headers from, Headers to) {
    to.remove(name);
    Header header = from.lastHeader(name);
    if (header != null) {
      to.add(header);
    }
  }

  private static String reason(RuntimeException error) {
    String message = Objects.requireNonNullElse(error.getMessage(), error.getClass().getName());
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }
}
