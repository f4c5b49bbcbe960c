package dev.onceward.tracing.internal;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import java.util.concurrent.ThreadLocalRandom;

/** Makes the context of a new trace where no SDK does: random ids, not sampled. */
final class RandomContext {

  private RandomContext() {}

  static SpanContext next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return SpanContext.create(
        TraceId.fromLongs(random.nextLong(), nonZero(random)),
        SpanId.fromLong(nonZero(random)),
        TraceFlags.getDefault(),
        TraceState.getDefault());
  }

  private static long nonZero(ThreadLocalRandom random) {
    long value;
    do {
      value = random.nextLong();
    } while (value == 0);
    return value;
  }
}
