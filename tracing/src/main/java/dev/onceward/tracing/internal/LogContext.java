package dev.onceward.tracing.internal;

import dev.onceward.tracing.LogKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The values of the log keys, to put on a thread or as they were found on one. */
record LogContext(
    @Nullable String traceId,
    @Nullable String spanId,
    @Nullable String eventId,
    @Nullable String handler,
    @Nullable String keyHash) {

  /** What this thread has now. */
  static LogContext current() {
    return new LogContext(
        MDC.get(LogKeys.TRACE_ID),
        MDC.get(LogKeys.SPAN_ID),
        MDC.get(LogKeys.EVENT_ID),
        MDC.get(LogKeys.HANDLER),
        MDC.get(LogKeys.KEY_HASH));
  }

  /** Makes this thread have exactly these values; an absent one is removed. */
  void apply() {
    set(LogKeys.TRACE_ID, traceId);
    set(LogKeys.SPAN_ID, spanId);
    set(LogKeys.EVENT_ID, eventId);
    set(LogKeys.HANDLER, handler);
    set(LogKeys.KEY_HASH, keyHash);
  }

  private static void set(String key, @Nullable String value) {
    if (value == null) {
      MDC.remove(key);
    } else {
      MDC.put(key, value);
    }
  }
}
