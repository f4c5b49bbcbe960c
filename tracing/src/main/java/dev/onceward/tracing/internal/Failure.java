package dev.onceward.tracing.internal;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** How an error shows on a span. */
final class Failure {

  private Failure() {}

  /** Marks {@code span} failed and returns the value of {@code error.type}. */
  static String mark(Span span, Semconv semconv, Throwable error) {
    Throwable cause = meaningful(error);
    String type = type(cause);
    semconv.errorType.set(span, type);
    span.setStatus(StatusCode.ERROR);
    span.recordException(cause);
    return type;
  }

  private static Throwable meaningful(Throwable error) {
    Throwable known = error;
    while (known instanceof CompletionException
        || known instanceof ExecutionException
        || known instanceof InvocationTargetException) {
      Throwable cause = known.getCause();
      if (cause == null) {
        break;
      }
      known = cause;
    }
    return known;
  }

  private static String type(Throwable error) {
    String canonical = error.getClass().getCanonicalName();
    return canonical != null ? canonical : error.getClass().getName();
  }
}
