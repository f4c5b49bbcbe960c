package dev.onceward.tracing.internal;

import dev.onceward.tracing.EventTracing.CreateSpan;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

final class CreateSpanImpl implements CreateSpan {

  private final Semconv semconv;
  private final Span span;
  private final String traceparent;
  private final String origin;
  private final AtomicBoolean ended = new AtomicBoolean();

  CreateSpanImpl(Semconv semconv, Context context, String traceparent, String origin) {
    this.semconv = semconv;
    this.span = Span.fromContext(context);
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
  public void created() {
    if (ended.compareAndSet(false, true)) {
      span.end();
    }
  }

  @Override
  public void failed(Throwable error) {
    Objects.requireNonNull(error, "error");
    if (ended.compareAndSet(false, true)) {
      String unused = Failure.mark(span, semconv, error);
      span.end();
    }
  }
}
