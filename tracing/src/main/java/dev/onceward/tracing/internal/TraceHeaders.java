package dev.onceward.tracing.internal;

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

  static final String TRACEPARENT = "traceparent";
  static final String TRACESTATE = "tracestate";
  static final String BAGGAGE = "baggage";
  static final String ORIGIN = "ce_traceparent";

  private static final String EVENT_ID = "event-id";
  private static final String CE_ID = "ce_id";
  private static final String CE_CORRELATION_ID = "ce_correlationid";

  /** More than any header within the limits of W3C needs; longer values are not worth a look. */
  private static final int MAX_LENGTH = 8192;

  /** No quote, no backslash, and a percent sign only before two hex digits. */
  private static final Pattern BAGGAGE_GRAMMAR =
      Pattern.compile("(?:[^\"\\\\%]++|%[0-9A-Fa-f]{2})*+");

  private static final TextMapGetter<TraceHeaders> GETTER = new Getter();

  private final List<byte @Nullable []> traceparent = new ArrayList<>(1);
  private final List<byte @Nullable []> tracestate = new ArrayList<>(1);
  private final List<byte @Nullable []> baggage = new ArrayList<>(1);
  private final List<byte @Nullable []> origin = new ArrayList<>(1);
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
        case ORIGIN -> found.origin.add(header.value());
        case EVENT_ID -> found.eventId = header.value();
        case CE_ID -> found.cloudEventId = header.value();
        case CE_CORRELATION_ID -> found.correlationId = header.value();
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
    return parse(single(origin));
  }

  /** Whether the record names an origin, valid or not. */
  boolean hasOrigin() {
    return origin.stream().anyMatch(Objects::nonNull);
  }

  /** The origin as it is written, or null when it is absent or no ASCII text. */
  @Nullable String originText() {
    return single(origin);
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

  /** Sets the headers of this hop to what {@code context} carries; those of an earlier hop go. */
  static void inject(Context context, Headers headers) {
    headers.remove(TRACEPARENT).remove(TRACESTATE).remove(BAGGAGE);
    W3CTraceContextPropagator.getInstance().inject(context, headers, TraceHeaders::add);
    W3CBaggagePropagator.getInstance().inject(context, headers, TraceHeaders::add);
  }

  /** Sets the origin, where {@link #hasOrigin} says there is none. */
  static void setOrigin(Headers headers, String traceparent) {
    headers.remove(ORIGIN);
    add(headers, ORIGIN, traceparent);
  }

  private static void add(@Nullable Headers headers, String key, String value) {
    if (headers != null) {
      headers.add(key, value.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static @Nullable String single(List<byte @Nullable []> values) {
    return values.size() == 1 ? ascii(values.get(0)) : null;
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

  /** The values of a header that may be split over several, or nothing when one is not text. */
  private static List<String> all(List<byte @Nullable []> values) {
    List<String> texts = new ArrayList<>(values.size());
    for (byte[] value : values) {
      String text = ascii(value);
      if (text == null) {
        return List.of();
      }
      texts.add(text);
    }
    return texts;
  }

  /**
   * The baggage headers, or nothing when one breaks the W3C grammar where the parser would log a
   * warning for it: with one bad sender that is a warning for every record.
   */
  private List<String> baggageTexts() {
    List<String> texts = all(baggage);
    return texts.stream().allMatch(text -> BAGGAGE_GRAMMAR.matcher(text).matches())
        ? texts
        : List.of();
  }

  private static final class Getter implements TextMapGetter<TraceHeaders> {

    @Override
    public @Nullable String get(@Nullable TraceHeaders carrier, String key) {
      if (carrier == null) {
        return null;
      }
      return switch (key) {
        case TRACEPARENT -> single(carrier.traceparent);
        // RFC 9110 lets a list header be split; W3C asks to read the parts in their order
        case TRACESTATE -> String.join(",", all(carrier.tracestate));
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
