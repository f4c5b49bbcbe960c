package dev.onceward.envelope;

/**
 * The record headers of an event, by the CloudEvents Kafka protocol binding 1.0.2 and W3C Trace
 * Context. Readers tolerate any order and duplicates (the last one with a value wins); writers set,
 * never append.
 *
 * @see <a
 *     href="https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md">Kafka
 *     protocol binding</a>
 */
public final class EventHeaders {
  /** What the header name of each CloudEvents attribute starts with, in binary mode. */
  public static final String PREFIX = "ce_";

  /** The version of CloudEvents, {@code 1.0}; required. */
  public static final String SPECVERSION = "ce_specversion";

  /** The id of the event, unique within its source; required. */
  public static final String ID = "ce_id";

  /** The type of the event; required. */
  public static final String TYPE = "ce_type";

  /** Where the event happened, a URI reference; required. */
  public static final String SOURCE = "ce_source";

  /** What the event is about within its source. */
  public static final String SUBJECT = "ce_subject";

  /** When the event was produced (RFC 3339). */
  public static final String TIME = "ce_time";

  /** The schema that the data adheres to, a URI. */
  public static final String DATASCHEMA = "ce_dataschema";

  /** The media type of the value. */
  public static final String CONTENT_TYPE = "content-type";

  /** Equals {@link #ID}: the plain name for readers that know no CloudEvents. */
  public static final String EVENT_ID = "event-id";

  /** The entity key; equals the record key. */
  public static final String PARTITIONKEY = "ce_partitionkey";

  /** The version of the entity, a decimal integer. */
  public static final String ENTITYVERSION = "ce_entityversion";

  /** When the fact happened (RFC 3339). */
  public static final String OCCURREDAT = "ce_occurredat";

  /** Do not start handling after (RFC 3339). */
  public static final String EXPIRYTIME = "ce_expirytime";

  /** The conversation that the event belongs to. */
  public static final String CORRELATIONID = "ce_correlationid";

  /** The id of the event that caused this one. */
  public static final String CAUSATIONID = "ce_causationid";

  /** The trace context of the origin; never rewritten by relay, retry, dead letter or replay. */
  public static final String ORIGIN_TRACEPARENT = "ce_traceparent";

  /** Where the data is when it was too large for the record. */
  public static final String DATAREF = "ce_dataref";

  /** The SHA-256 of the data that {@link #DATAREF} leads to. */
  public static final String DATAREFSHA256 = "ce_datarefsha256";

  /** The size in bytes of the data that {@link #DATAREF} leads to. */
  public static final String DATAREFSIZE = "ce_datarefsize";

  /** The trace context of this hop; every sender replaces it. */
  public static final String TRACEPARENT = "traceparent";

  /** Goes with {@link #TRACEPARENT}. */
  public static final String TRACESTATE = "tracestate";

  /** W3C baggage of this hop. */
  public static final String BAGGAGE = "baggage";

  private EventHeaders() {}
}
