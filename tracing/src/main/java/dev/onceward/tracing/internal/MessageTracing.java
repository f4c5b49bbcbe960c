package dev.onceward.tracing.internal;

import static io.opentelemetry.api.trace.SpanKind.CLIENT;
import static io.opentelemetry.api.trace.SpanKind.CONSUMER;
import static io.opentelemetry.api.trace.SpanKind.PRODUCER;

import dev.onceward.tracing.ConsumerObservation;
import dev.onceward.tracing.EventTracing;
import dev.onceward.tracing.ProcessRelation;
import dev.onceward.tracing.RelayObservation;
import dev.onceward.tracing.internal.Semconv.Operation;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerBuilder;
import io.opentelemetry.context.Context;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Tracing on one OpenTelemetry; the no-op one gives context without records. */
public final class MessageTracing implements EventTracing {

  /** What an SDK keeps unless it is told otherwise. */
  private static final int MOST_LINKS = 128;

  private static final String SCOPE = "dev.onceward.tracing";

  private final TracingConfig config;
  private final Semconv semconv;
  private final TopicAttributes topics;
  private final Tracer tracer;
  private final MeterProvider meterProvider;
  private final MessagingMetrics metrics;
  private final RelayMetrics relayMetrics;

  public MessageTracing(OpenTelemetry openTelemetry, TracingConfig config) {
    this.config = config;
    this.semconv = new Semconv(config.dialect());
    this.topics = new TopicAttributes(semconv);
    TracerBuilder tracers = openTelemetry.tracerBuilder(SCOPE);
    if (semconv.schemaUrl != null) {
      tracers.setSchemaUrl(semconv.schemaUrl);
    }
    this.tracer = tracers.build();
    this.meterProvider = openTelemetry.getMeterProvider();
    this.metrics = new MessagingMetrics(meter(), semconv);
    this.relayMetrics = new RelayMetrics(this::meter, semconv);
  }

  @Override
  public SendSpan startSend(ProducerRecord<byte[], byte[]> record) {
    Hop hop = startHop(Operation.SEND, record);
    return new SendSpanImpl(
        semconv, metrics, hop.context(), hop.attributes(), hop.traceparent(), hop.origin());
  }

  @Override
  public CreateSpan startCreate(ProducerRecord<byte[], byte[]> record) {
    Hop hop = startHop(Operation.CREATE, record);
    return new CreateSpanImpl(semconv, hop.context(), hop.traceparent(), hop.origin());
  }

  @Override
  public SendSpan startForward(ProducerRecord<byte[], byte[]> record) {
    TraceHeaders stored = TraceHeaders.read(record.headers());
    SpanContext creation = stored.hop();
    TopicAttributes.Shared shared = topics.of(Operation.SEND, record.topic(), null);
    SpanBuilder builder = tracer.spanBuilder(shared.spanName()).setSpanKind(CLIENT);
    if (tracer.isEnabled()) {
      builder.setAllAttributes(sendAttributes(shared.attributes(), record, stored));
      if (creation.isValid()) {
        builder.addLink(creation);
      }
    }
    Context context = Context.current().with(builder.startSpan());
    String traceparent = creation.isValid() ? TraceHeaders.format(creation) : "";
    return new SendSpanImpl(
        semconv,
        metrics,
        context,
        shared.attributes(),
        traceparent,
        origin(stored, creation, traceparent));
  }

  /** A span whose context a record has taken on. */
  private record Hop(Context context, Attributes attributes, String traceparent, String origin) {}

  private Hop startHop(Operation operation, ProducerRecord<byte[], byte[]> record) {
    TraceHeaders earlier = TraceHeaders.read(record.headers());
    SpanContext earlierHop = earlier.hop();
    Context current = Context.current();
    SpanContext ambient = Span.fromContext(current).getSpanContext();
    boolean forwarded = !ambient.isValid() && earlierHop.isValid();
    Context parent =
        forwarded
            ? withBaggage(current.with(Span.wrap(earlierHop)), earlier.baggage(), false)
            : current;

    TopicAttributes.Shared shared = topics.of(operation, record.topic(), null);
    SpanBuilder builder =
        tracer.spanBuilder(shared.spanName()).setSpanKind(PRODUCER).setParent(parent);
    if (tracer.isEnabled()) {
      builder.setAllAttributes(sendAttributes(shared.attributes(), record, earlier));
      if (!forwarded && earlierHop.isValid() && !same(earlierHop, ambient)) {
        builder.addLink(earlierHop);
      }
    }
    Span span = valid(builder.startSpan(), SpanContext.getInvalid());
    Context context = parent.with(span);
    String traceparent = TraceHeaders.format(span.getSpanContext());
    String origin = origin(earlier, earlierHop, traceparent);
    try {
      earlier.replace(record.headers(), context, traceparent);
      if (earlier.binaryModeEvent() && !earlier.hasOrigin()) {
        earlier.setOrigin(record.headers(), origin);
      }
    } catch (IllegalStateException e) {
      // ended here: the caller gets no span to end
      span.end();
      throw new IllegalStateException(
          "The record for topic "
              + record.topic()
              + " was sent before and its headers are read-only; send a copy of it.",
          e);
    }
    return new Hop(context, shared.attributes(), traceparent, origin);
  }

  @Override
  public ProcessSpan startProcess(
      ConsumerRecord<byte[], byte[]> record, String group, int attempt) {
    Objects.requireNonNull(group, "group");
    TraceHeaders headers = TraceHeaders.read(record.headers());
    SpanContext sender = headers.hop();
    SpanContext origin = headers.origin();
    Context current = Context.current();
    SpanContext ambient = Span.fromContext(current).getSpanContext();
    boolean child = config.processRelation() != ProcessRelation.LINK && sender.isValid();

    TopicAttributes.Shared shared = topics.of(Operation.PROCESS, record.topic(), group);
    SpanBuilder builder =
        tracer
            .spanBuilder(shared.spanName())
            .setSpanKind(CONSUMER)
            .setParent(child ? current.with(Span.wrap(sender)) : current);
    if (tracer.isEnabled()) {
      builder.setAllAttributes(processAttributes(shared.attributes(), record, headers, attempt));
      if (sender.isValid() && config.processRelation() != ProcessRelation.PARENT) {
        builder.addLink(sender);
      }
      if (origin.isValid() && !same(origin, sender)) {
        builder.addLink(origin);
      }
      if (child && ambient.isValid() && !same(ambient, sender)) {
        builder.addLink(ambient);
      }
    }
    Span span = valid(builder.startSpan(), sender);
    Context context = withBaggage(current.with(span), headers.baggage(), true);
    if (attempt <= 1) {
      metrics.consumed(context, shared.attributes());
    }
    return new ProcessSpanImpl(
        semconv, metrics, context, shared.attributes(), record.key(), new Linked(sender, origin));
  }

  @Override
  public ProcessSpan startProcessBatch(
      List<ConsumerRecord<byte[], byte[]>> records, String group, String handlerId) {
    Objects.requireNonNull(group, "group");
    Context current = Context.current();
    TopicAttributes.Shared shared = topics.of(Operation.PROCESS, records.get(0).topic(), group);
    SpanBuilder builder =
        tracer.spanBuilder(shared.spanName()).setSpanKind(CONSUMER).setParent(current);
    if (tracer.isEnabled()) {
      AttributesBuilder attributes = shared.attributes().toBuilder();
      semconv.batchCount.put(attributes, (long) records.size());
      semconv.handler.put(attributes, handlerId);
      builder.setAllAttributes(attributes.build());
      records.stream()
          .limit(MOST_LINKS)
          .map(record -> TraceHeaders.read(record.headers()).hop())
          .filter(SpanContext::isValid)
          .forEach(builder::addLink);
    }
    Span span = valid(builder.startSpan(), SpanContext.getInvalid());
    Context context = current.with(span);
    records.forEach(record -> metrics.consumed(context, shared.attributes()));
    return new ProcessSpanImpl(
        semconv,
        metrics,
        context,
        shared.attributes(),
        new LogContext(
            span.getSpanContext().getTraceId(),
            span.getSpanContext().getSpanId(),
            null,
            handlerId,
            null));
  }

  @Override
  public Registration observe(ConsumerObservation consumer) {
    return observe(Objects.requireNonNull(consumer.group(), "group"), consumer);
  }

  @Override
  public Registration observe(RelayObservation relay) {
    return relayMetrics.observe(relay);
  }

  Registration observe(String group, ConsumerObservation consumer) {
    return SharedConsumerMetrics.of(meterProvider, config.dialect(), this::meter)
        .observe(group, consumer);
  }

  private Meter meter() {
    MeterBuilder meters = meterProvider.meterBuilder(SCOPE);
    if (semconv.schemaUrl != null) {
      meters.setSchemaUrl(semconv.schemaUrl);
    }
    return meters.build();
  }

  private static String origin(TraceHeaders earlier, SpanContext earlierHop, String traceparent) {
    String known = earlier.originText();
    if (known != null) {
      return known;
    }
    return earlierHop.isValid() ? TraceHeaders.format(earlierHop) : traceparent;
  }

  /** The span itself when it has an identity; without an SDK, one that stands for it. */
  private static Span valid(Span span, SpanContext incoming) {
    if (span.getSpanContext().isValid()) {
      return span;
    }
    return Span.wrap(incoming.isValid() ? incoming : RandomContext.next());
  }

  private static Context withBaggage(Context context, Baggage incoming, boolean replace) {
    if (incoming.isEmpty() || (!replace && !Baggage.fromContext(context).isEmpty())) {
      return context;
    }
    return context.with(incoming);
  }

  private Attributes sendAttributes(
      Attributes shared, ProducerRecord<byte[], byte[]> record, TraceHeaders headers) {
    AttributesBuilder attributes = shared.toBuilder();
    Integer partition = record.partition();
    if (partition != null) {
      semconv.partition.put(attributes, Integer.toString(partition));
    }
    putMessage(attributes, headers, record.key(), record.value());
    return attributes.build();
  }

  private Attributes processAttributes(
      Attributes shared, ConsumerRecord<byte[], byte[]> record, TraceHeaders headers, int attempt) {
    AttributesBuilder attributes = shared.toBuilder();
    semconv.partition.put(attributes, Integer.toString(record.partition()));
    semconv.offset.put(attributes, record.offset());
    semconv.attempt.put(attributes, (long) attempt);
    putMessage(attributes, headers, record.key(), record.value());
    return attributes.build();
  }

  private void putMessage(
      AttributesBuilder attributes,
      TraceHeaders headers,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    String messageId = headers.messageId();
    if (messageId != null) {
      semconv.messageId.put(attributes, messageId);
    }
    String correlationId = headers.correlationId();
    if (correlationId != null) {
      semconv.conversationId.put(attributes, correlationId);
    }
    if (value == null) {
      semconv.tombstone.put(attributes, true);
    }
    String text = config.recordMessageKey() ? text(key) : null;
    if (text != null) {
      semconv.messageKey.put(attributes, text);
    }
  }

  /** The key as text, or null when it has no canonical text. */
  private static @Nullable String text(byte @Nullable [] key) {
    if (key == null) {
      return null;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static boolean same(SpanContext one, SpanContext other) {
    return one.getTraceId().equals(other.getTraceId()) && one.getSpanId().equals(other.getSpanId());
  }

  /** The contexts a process span relates to already. */
  record Linked(SpanContext sender, SpanContext origin) {
    boolean contains(SpanContext context) {
      return same(context, sender) || same(context, origin);
    }
  }
}
