package dev.onceward.tracing.internal;

import dev.onceward.envelope.Event;
import dev.onceward.tracing.EventTracing.ProcessSpan;
import dev.onceward.tracing.KeyHash;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

final class ProcessSpanImpl implements ProcessSpan {

  /** Tells whether a thread runs inside this very delivery. */
  private static final ContextKey<ProcessSpanImpl> CURRENT =
      ContextKey.named("onceward-process-span");

  private final Semconv semconv;
  private final MessagingMetrics metrics;
  private final Context context;
  private final Span span;
  private final Attributes shared;
  private final byte @Nullable [] key;
  private final MessageTracing.Linked linked;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile @Nullable LogContext logContext;

  ProcessSpanImpl(
      Semconv semconv,
      MessagingMetrics metrics,
      Context context,
      Attributes shared,
      byte @Nullable [] key,
      MessageTracing.Linked linked) {
    this.semconv = semconv;
    this.metrics = metrics;
    this.context = context;
    this.span = Span.fromContext(context);
    this.shared = shared;
    this.key = key;
    this.linked = linked;
  }

  /** The span of several deliveries, in a log context of its own. */
  ProcessSpanImpl(
      Semconv semconv,
      MessagingMetrics metrics,
      Context context,
      Attributes shared,
      LogContext logContext) {
    this(
        semconv,
        metrics,
        context,
        shared,
        null,
        new MessageTracing.Linked(SpanContext.getInvalid(), SpanContext.getInvalid()));
    this.logContext = logContext;
  }

  @Override
  public String traceparent() {
    return TraceHeaders.format(span.getSpanContext());
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // closed by the scope that is returned
  public Scope makeCurrent() {
    LogContext before = LogContext.current();
    Scope scope = context.with(CURRENT, this).makeCurrent();
    logContext().apply();
    return new RestoringScope(scope, before);
  }

  @Override
  public void event(Event event, String handlerId) {
    Objects.requireNonNull(handlerId, "handlerId");
    LogContext bare = logContext();
    LogContext full =
        new LogContext(bare.traceId(), bare.spanId(), event.getId(), handlerId, bare.keyHash());
    logContext = full;
    if (Context.current().get(CURRENT) == this) {
      full.apply();
    }
    if (span.isRecording()) {
      record(event, handlerId);
    }
  }

  @Override
  public void ended(String outcome) {
    Objects.requireNonNull(outcome, "outcome");
    if (ended.compareAndSet(false, true)) {
      semconv.outcome.set(span, outcome);
      metrics.processed(context, shared, startNanos);
      span.end();
    }
  }

  @Override
  public void failed(Throwable error) {
    Objects.requireNonNull(error, "error");
    if (ended.compareAndSet(false, true)) {
      String type = Failure.mark(span, semconv, error);
      metrics.processFailed(context, shared, startNanos, type);
      span.end();
    }
  }

  private void record(Event event, String handlerId) {
    semconv.handler.set(span, handlerId);
    semconv.messageId.set(span, event.getId());
    semconv.eventId.set(span, event.getId());
    semconv.eventSource.set(span, event.getSource().toString());
    semconv.eventType.set(span, event.getType());
    semconv.eventSpecVersion.set(span, event.getSpecVersion().toString());
    String subject = event.getSubject();
    if (subject != null) {
      semconv.eventSubject.set(span, subject);
    }
    event.correlationId().ifPresent(id -> semconv.conversationId.set(span, id));
    // a structured-mode event has its origin in the value, which only decoding shows
    SpanContext origin = TraceHeaders.parse(event.originTraceparent().orElse(null));
    if (origin.isValid() && !linked.contains(origin)) {
      span.addLink(origin);
    }
  }

  private LogContext logContext() {
    LogContext known = logContext;
    if (known == null) {
      SpanContext identity = span.getSpanContext();
      known =
          new LogContext(identity.getTraceId(), identity.getSpanId(), null, null, KeyHash.of(key));
      logContext = known;
    }
    return known;
  }
}
