package dev.onceward.tracing.internal;

import static dev.onceward.envelope.EventHeaders.BAGGAGE;
import static dev.onceward.envelope.EventHeaders.CORRELATIONID;
import static dev.onceward.envelope.EventHeaders.EVENT_ID;
import static dev.onceward.envelope.EventHeaders.ID;
import static dev.onceward.envelope.EventHeaders.ORIGIN_TRACEPARENT;
import static dev.onceward.envelope.EventHeaders.TRACEPARENT;
import static dev.onceward.envelope.EventHeaders.TRACESTATE;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The trace context that came with a record, read in one pass over its headers.
 *
 * <p>Parsing is OpenTelemetry's; this class keeps from it what W3C forbids a receiver to accept and
 * what its parser cannot see: repeated headers and bytes that are not ASCII.
 */
final class TraceHeaders {

  /** More than any header within the limits of W3C needs; longer values are not worth a look. */
  private static final int MAX_LENGTH = 8192;

  /** No quote, no backslash, and a percent sign only before two hex digits. */
  private static final Pattern BAGGAGE_GRAMMAR =
      Pattern.compile("(?:[^\"\\\\%]++|%[0-9A-Fa-f]{2})*+");

  private static final TextMapGetter<TraceHeaders> GETTER = new Getter();

  private final Values traceparent = new Values();
  private final Values tracestate = new Values();
  private final Values baggage = new Values();
  private final Values origin = new Values();
  private byte @Nullable [] eventId;
  private byte @Nullable [] cloudEventId;
  private byte @Nullable [] correlationId;

  private TraceHeaders() {}

  static TraceHeaders read(Headers headers) {
    TraceHeaders found = new TraceHeaders();
    for (Header header : headers) {
      switch (header.key()) {
        case TRACEPARENT -> found.traceparent.add(header.value());
        case TRACESTATE -> found.tracestate.add(header.value());
        case BAGGAGE -> found.baggage.add(header.value());
        case ORIGIN_TRACEPARENT -> found.origin.add(header.value());
        case EVENT_ID -> found.eventId = header.value();
        case ID -> found.cloudEventId = header.value();
        case CORRELATIONID -> found.correlationId = header.value();
        default -> {
          // not ours
        }
      }
    }
    return found;
  }

  /** The context of the last hop; invalid when the record brought none that is valid. */
  SpanContext hop() {
    return traceparent.isEmpty()
        ? SpanContext.getInvalid()
        : Span.fromContext(
                W3CTraceContextPropagator.getInstance().extract(Context.root(), this, GETTER))
            .getSpanContext();
  }

  /** The context the event was created in; invalid when the record does not say. */
  SpanContext origin() {
    return parse(origin.single());
  }

  /** Whether the record names an origin, valid or not. */
  boolean hasOrigin() {
    return origin.anyValue();
  }

  /** The origin as it is written, or null when it is absent or no ASCII text. */
  @Nullable String originText() {
    return origin.single();
  }

  /** The baggage that came with the record; empty when there is none that is valid. */
  Baggage baggage() {
    return baggage.isEmpty()
        ? Baggage.empty()
        : Baggage.fromContext(
            W3CBaggagePropagator.getInstance().extract(Context.root(), this, GETTER));
  }

  /** Whether the record is an event in binary mode. */
  boolean binaryModeEvent() {
    return cloudEventId != null;
  }

  /** The event's id, or null. */
  @Nullable String messageId() {
    byte[] id = cloudEventId != null ? cloudEventId : eventId;
    return id == null ? null : new String(id, StandardCharsets.UTF_8);
  }

  /** The conversation the event belongs to, or null. */
  @Nullable String correlationId() {
    return correlationId == null ? null : new String(correlationId, StandardCharsets.UTF_8);
  }

  /** Parses a traceparent by itself; invalid when it is null or not valid. */
  static SpanContext parse(@Nullable String traceparent) {
    if (traceparent == null) {
      return SpanContext.getInvalid();
    }
    TraceHeaders carrier = new TraceHeaders();
    carrier.traceparent.add(traceparent.getBytes(StandardCharsets.UTF_8));
    return carrier.hop();
  }

  /** Writes a valid context as a version 00 traceparent. */
  static String format(SpanContext context) {
    return "00-"
        + context.getTraceId()
        + '-'
        + context.getSpanId()
        + '-'
        + context.getTraceFlags().asHex();
  }

  /**
   * Sets the headers of this hop to what {@code context} carries; those of an earlier hop, which
   * were read from the same headers, go.
   *
   * @param traceparent the context's traceparent as {@link #format} writes it
   */
  void replace(Headers headers, Context context, String traceparent) {
    remove(headers, TRACEPARENT, this.traceparent);
    remove(headers, TRACESTATE, tracestate);
    remove(headers, BAGGAGE, baggage);
    add(headers, TRACEPARENT, traceparent);
    if (!Span.fromContext(context).getSpanContext().getTraceState().isEmpty()) {
      W3CTraceContextPropagator.getInstance()
          .inject(
              context,
              headers,
              (to, key, value) -> {
                if (key.equals(TRACESTATE)) {
                  add(to, key, value);
                }
              });
    }
    W3CBaggagePropagator.getInstance().inject(context, headers, TraceHeaders::add);
  }

  /** Sets the origin, where {@link #hasOrigin} says there is none. */
  void setOrigin(Headers headers, String value) {
    remove(headers, ORIGIN_TRACEPARENT, origin);
    add(headers, ORIGIN_TRACEPARENT, value);
  }

  private static void remove(Headers headers, String key, Values found) {
    if (!found.isEmpty()) {
      headers.remove(key);
    }
  }

  private static void add(@Nullable Headers headers, String key, String value) {
    if (headers != null) {
      headers.add(key, value.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** The printable ASCII text of {@code value}, or null when it is anything else. */
  private static @Nullable String ascii(byte @Nullable [] value) {
    if (value == null || value.length == 0 || value.length > MAX_LENGTH) {
      return null;
    }
    for (byte b : value) {
      if ((b < ' ' && b != '\t') || b == 0x7f) {
        return null;
      }
    }
    return new String(value, StandardCharsets.US_ASCII);
  }

  /**
   * The baggage headers, or nothing when one breaks the W3C grammar where the parser would log a
   * warning for it: with one bad sender that is a warning for every record.
   */
  private List<String> baggageTexts() {
    List<String> texts = baggage.all();
    return texts.stream().allMatch(text -> BAGGAGE_GRAMMAR.matcher(text).matches())
        ? texts
        : List.of();
  }

  /** The values of one header name; hardly ever more than one. */
  private static final class Values {

    private int count;
    private byte @Nullable [] first;
    private @Nullable List<byte @Nullable []> others;

    void add(byte @Nullable [] value) {
      if (count++ == 0) {
        first = value;
      } else {
        if (others == null) {
          others = new ArrayList<>(1);
        }
        others.add(value);
      }
    }

    boolean isEmpty() {
      return count == 0;
    }

    boolean anyValue() {
      return first != null || (others != null && others.stream().anyMatch(Objects::nonNull));
    }

    /** The only value, or null when there are more or it is not ASCII text. */
    @Nullable String single() {
      return count == 1 ? ascii(first) : null;
    }

    /** All values, for a header that may be split; none when one is not ASCII text. */
    List<String> all() {
      if (others == null) {
        String text = ascii(first);
        return text == null ? List.of() : List.of(text);
      }
      List<String> texts = new ArrayList<>(count);
      texts.add(ascii(first));
      others.forEach(value -> texts.add(ascii(value)));
      return texts.contains(null) ? List.of() : texts;
    }
  }

  private static final class Getter implements TextMapGetter<TraceHeaders> {

    @Override
    public @Nullable String get(@Nullable TraceHeaders carrier, String key) {
      if (carrier == null) {
        return null;
      }
      return switch (key) {
        case TRACEPARENT -> carrier.traceparent.single();
        // RFC 9110 lets a list header be split; W3C asks to read the parts in their order
        case TRACESTATE -> String.join(",", carrier.tracestate.all());
        case BAGGAGE -> String.join(",", carrier.baggageTexts());
        default -> null;
      };
    }

    @Override
    public Iterator<String> getAll(@Nullable TraceHeaders carrier, String key) {
      if (carrier != null && key.equals(BAGGAGE)) {
        return carrier.baggageTexts().iterator();
      }
      String value = get(carrier, key);
      return value == null ? List.<String>of().iterator() : List.of(value).iterator();
    }
  }
}
