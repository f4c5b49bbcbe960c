package dev.onceward.producer.internal;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventHeaders;
import dev.onceward.envelope.EventWriter;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.envelope.TypeNaming;
import dev.onceward.producer.ContentMode;
import dev.onceward.tracing.EventTracing.HopSpan;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Makes the record of an event: policies first, then the span whose context the record carries,
 * then the record in its mode. Published and stored events alike. Thread-safe.
 *
 * @param <S> the kind of span that a record is made in
 */
public final class EventRecords<S extends HopSpan> {

  private static final Pattern LEGAL_TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final List<String> HOP_HEADERS =
      List.of(EventHeaders.TRACEPARENT, EventHeaders.TRACESTATE, EventHeaders.BAGGAGE);

  /** Against types made up at run time; those beyond it are looked at each time. */
  private static final int MAX_ACCEPTED_TYPES = 1_000;

  private final ContentMode mode;
  private final TypeNaming typeNaming;
  private final SizePolicy sizePolicy;
  private final Function<ProducerRecord<byte[], byte[]>, S> startSpan;
  private final Set<String> acceptedTypes = ConcurrentHashMap.newKeySet();

  /**
   * Makes records of these kinds.
   *
   * @param startSpan starts the span of a record and writes its context to the record's headers
   */
  public EventRecords(
      ContentMode mode,
      TypeNaming typeNaming,
      SizePolicy sizePolicy,
      Function<ProducerRecord<byte[], byte[]>, S> startSpan) {
    this.mode = mode;
    this.typeNaming = typeNaming;
    this.sizePolicy = sizePolicy;
    this.startSpan = startSpan;
  }

  /** A record, and the span that it carries the context of; who has it ends it. */
  public record Outgoing<S>(ProducerRecord<byte[], byte[]> record, S span) {}

  /** Starts an event of this type from this source, or from none. */
  public static Event.Builder newEvent(String type, @Nullable URI source) {
    Event.Builder event = Event.builder().type(type);
    return source == null ? event : event.source(source);
  }

  /** What is wrong with a topic's name, as the end of a sentence; null when nothing is. */
  public static @Nullable String problemOf(String topic) {
    return LEGAL_TOPIC.matcher(topic).matches()
        ? null
        : "the topic name is not legal: use 1 to 249 ASCII letters, digits, '.', '_' and '-'";
  }

  /** The message of an exception of {@link #write}, without its full stop. */
  public static String reason(RuntimeException error) {
    String message = Objects.requireNonNullElse(error.getMessage(), error.getClass().getName());
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }

  /**
   * Makes the record of {@code event}, in a span of its own.
   *
   * @throws dev.onceward.envelope.EventPolicyException when a policy refuses the event
   * @throws IllegalArgumentException when it cannot be expressed in the mode
   */
  public Outgoing<S> write(String topic, Event event) {
    enforceNaming(event);
    sizePolicy.enforce(event);
    return mode == ContentMode.STRUCTURED ? structured(topic, event) : binary(topic, event);
  }

  /** The rule looks at the type alone, so one look at each type is enough. */
  private void enforceNaming(Event event) {
    String type = event.getType();
    if (!acceptedTypes.contains(type)) {
      typeNaming.enforce(event);
      if (acceptedTypes.size() < MAX_ACCEPTED_TYPES) {
        acceptedTypes.add(type);
      }
    }
  }

  private Outgoing<S> binary(String topic, Event event) {
    ProducerRecord<byte[], byte[]> record = EventWriter.binary().write(topic, event);
    return new Outgoing<>(record, startSpan.apply(record));
  }

  /**
   * The origin is part of the value here, so a new event must know its span before it is written:
   * its binary form takes the context first, and passes it on.
   */
  private Outgoing<S> structured(String topic, Event event) {
    if (event.originTraceparent().isPresent()) {
      ProducerRecord<byte[], byte[]> record = EventWriter.structured().write(topic, event);
      return new Outgoing<>(record, startSpan.apply(record));
    }
    ProducerRecord<byte[], byte[]> carrier = EventWriter.binary().write(topic, event);
    S span = startSpan.apply(carrier);
    try {
      Event known = event.toBuilder().originTraceparent(span.originTraceparent()).build();
      ProducerRecord<byte[], byte[]> record = EventWriter.structured().write(topic, known);
      HOP_HEADERS.forEach(name -> move(name, carrier.headers(), record.headers()));
      return new Outgoing<>(record, span);
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
}
