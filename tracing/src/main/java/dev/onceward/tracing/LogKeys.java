package dev.onceward.tracing;

/** The MDC keys that every log line of a handler carries. These names are API. */
public final class LogKeys {

  /** The trace id of the delivery, 32 hex digits. */
  public static final String TRACE_ID = "traceId";

  /** The span id of the delivery, 16 hex digits. */
  public static final String SPAN_ID = "spanId";

  /** The event's {@code id}; absent until it is decoded. */
  public static final String EVENT_ID = "eventId";

  /** The id of the handlers the delivery is for; absent until it is known. */
  public static final String HANDLER = "handler";

  /** The {@link KeyHash} of the record key; the key itself is never logged. */
  public static final String KEY_HASH = "keyHash";

  private LogKeys() {}
}
