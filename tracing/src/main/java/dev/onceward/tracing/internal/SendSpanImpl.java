package dev.onceward.tracing.internal;

import dev.onceward.tracing.EventTracing.SendSpan;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

final class SendSpanImpl implements SendSpan {

  private final Semconv semconv;
  private final MessagingMetrics metrics;
  private final Context context;
  private final Span span;
  private final Attributes shared;
  private final String traceparent;
  private final String origin;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean ended = new AtomicBoolean();

  SendSpanImpl(
      Semconv semconv,
      MessagingMetrics metrics,
      Context context,
      Attributes shared,
      String traceparent,
      String origin) {
    this.semconv = semconv;
    this.metrics = metrics;
    this.context = context;
    this.span = Span.fromContext(context);
    this.shared = shared;
    this.traceparent = traceparent;
    this.origin = origin;
  }

  @Override
  public String traceparent() {
    return traceparent;
  }

  @Override
  public String originTraceparent() {
    return origin;
  }

  @Override
  public void sent(int partition, long offset) {
    if (ended.compareAndSet(false, true)) {
      if (span.isRecording()) {
        semconv.partition.set(span, Integer.toString(partition));
        if (offset >= 0) { // -1: the broker was not asked to say
          semconv.offset.set(span, offset);
        }
      }
      metrics.sent(context, shared, startNanos);
      span.end();
    }
  }

  @Override
  public void failed(Throwable error) {
    Objects.requireNonNull(error, "error");
    if (ended.compareAndSet(false, true)) {
      String type = Failure.mark(span, semconv, error);
      metrics.sendFailed(context, shared, startNanos, type);
      span.end();
    }
  }
}
