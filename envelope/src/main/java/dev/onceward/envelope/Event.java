package dev.onceward.envelope;

import dev.onceward.envelope.internal.EventBuilder;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A CloudEvent 1.0.2 with Onceward's typed attributes.
 *
 * <p>Events come from {@link #builder()} or from an {@link EventReader}; both kinds are immutable
 * and thread-safe under one condition: byte arrays that an accessor hands out ({@link #payload()},
 * {@link #getData()}, header values) are <em>not copied</em> and must not be modified. An event
 * that was read shares the arrays of its {@code ConsumerRecord}.
 *
 * <p><b>Identity and equality.</b> An event's identity is (source, id). {@code equals} is stricter:
 * two events are equal when all their attributes (compared as text) and their data bytes are equal.
 * Foreign headers, the record key and the mode an event was read in do not take part. {@code
 * hashCode} is computed from source and id. {@code toString} shows neither data nor key nor
 * subject.
 *
 * @see <a href="https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md">CloudEvents
 *     1.0.2</a>
 */
public interface Event extends CloudEvent {

  /** Starts a new event. */
  static Builder builder() {
    return EventBuilder.fresh();
  }

  /**
   * Starts a copy of this event. Everything is carried over, also foreign headers, unknown
   * attributes and the record key; nothing is added that this event does not have. Values derived
   * from the data ({@link EventReader.Builder#versionFrom}) are dropped when the copy gets other
   * data.
   */
  default Builder toBuilder() {
    return EventBuilder.from(this);
  }

  /**
   * The source, never null. A source that is no legal URI reference is tolerated in an event that
   * was read: its illegal characters are percent-encoded here (always in the same way), while a
   * re-emit writes the original text.
   */
  @Override
  URI getSource();

  @Override
  @Nullable String getSubject();

  @Override
  @Nullable OffsetDateTime getTime();

  @Override
  @Nullable String getDataContentType();

  /** The schema of the data; an illegal URI is treated as in {@link #getSource()}. */
  @Override
  @Nullable URI getDataSchema();

  @Override
  @Nullable CloudEventData getData();

  /**
   * The entity key: {@code ce_partitionkey}, or else the record's key when that is UTF-8 text.
   * Empty when there is neither.
   */
  Optional<String> entityKey();

  /**
   * The version of the entity ({@code ce_entityversion}), zero or more; or else the one a
   * configured {@link EventReader.Builder#versionFrom mapping} found in the data.
   */
  OptionalLong entityVersion();

  /**
   * When the fact happened ({@code ce_occurredat}), or else what a configured {@link
   * EventReader.Builder#occurredAtFrom mapping} found in the data; {@link #getTime()} is when the
   * event was produced.
   */
  Optional<OffsetDateTime> occurredAt();

  /** Do not start handling after this instant ({@code ce_expirytime}). */
  Optional<OffsetDateTime> expiryTime();

  /** The conversation this event belongs to ({@code ce_correlationid}). */
  Optional<String> correlationId();

  /** The id of the event that caused this one ({@code ce_causationid}). */
  Optional<String> causationId();

  /** The W3C traceparent of the origin ({@code ce_traceparent}), as is: it is not validated. */
  Optional<String> originTraceparent();

  /**
   * The data bytes, or null when the event carries no data (in binary mode such a record is a
   * tombstone). Binary mode: the record's value as it was on the wire. Structured mode: the {@code
   * data} member's JSON text as it was on the wire, or, decoded, its text or base64 content. Not
   * copied: do not modify.
   */
  byte @Nullable [] payload();

  /**
   * Headers that are no CloudEvents attribute, in their order, with duplicates and null values; a
   * re-emit writes them again. Among them are the per-hop headers ({@code traceparent}, {@code
   * tracestate}, {@code baggage}), which every sender replaces, and headers with an illegal {@code
   * ce_} name. Unmodifiable; the values are not copied.
   */
  List<Header> foreignHeaders();

  /**
   * Builds an event. Setters take what they get; {@link #build()} reports everything that is
   * missing or wrong at once. Null clears an optional attribute. Not thread-safe.
   */
  interface Builder {

    /** Unique within the source. Default: a new UUIDv7 (RFC 9562) for each built event. */
    Builder id(String id);

    /** The context in which the event happened: a non-empty URI reference. Required. */
    Builder source(URI source);

    /** Like {@link #source(URI)}. */
    Builder source(String source);

    /** The type, such as {@code com.acme.orders.placed.v1}. Required; see {@link TypeNaming}. */
    Builder type(String type);

    /** What the event is about, usually the id of the entity. */
    Builder subject(@Nullable String subject);

    /** When the event was produced. Default: now, in UTC. */
    Builder time(@Nullable OffsetDateTime time);

    /**
     * The key that keeps events of one entity in order; it becomes the record key. Default: the
     * subject; a copy keeps its key also when the subject changes.
     */
    Builder entityKey(@Nullable String key);

    /** The version of the entity, zero or more, growing with each of its events. */
    Builder entityVersion(long version);

    /** When the fact happened. */
    Builder occurredAt(@Nullable OffsetDateTime occurredAt);

    /** Do not start handling after this instant. */
    Builder expiryTime(@Nullable OffsetDateTime expiryTime);

    /** The conversation that the event belongs to; null for none. */
    Builder correlationId(@Nullable String correlationId);

    /** The id of the event that caused this one; null for none. */
    Builder causationId(@Nullable String causationId);

    /**
     * Sets the causation id to the id of {@code cause}, and the correlation id to that of {@code
     * cause}, or to its id where it has none.
     */
    Builder causedBy(Event cause);

    /** The W3C traceparent of the origin; set once and never rewritten on later hops. */
    Builder originTraceparent(@Nullable String traceparent);

    /** The schema of the data: an absolute URI. */
    Builder dataSchema(@Nullable URI dataSchema);

    /**
     * An extension attribute. The name is lower-case ASCII letters and digits. Values of the
     * CloudEvents types are taken: String, Boolean, Integer (and Long; beyond 32 bits it is held as
     * text), URI, OffsetDateTime and byte[] (both held as text). Null removes it.
     */
    Builder extension(String name, @Nullable Object value);

    /** The data and its media type. The bytes are copied. */
    Builder data(byte[] data, String contentType);

    /**
     * The data as {@code mapper} writes it, with its content type. The object is written now.
     *
     * @throws PayloadException when it cannot be written
     */
    Builder data(Object payload, PayloadMapper mapper);

    /** Removes data and content type. In binary mode the record becomes a tombstone. */
    Builder noData();

    /**
     * Adds a header that is no CloudEvents attribute; repeated names are kept. The bytes are
     * copied. {@code ce_*}, {@code content-type} and {@code event-id} are refused: they have
     * setters.
     */
    Builder header(String name, byte @Nullable [] value);

    /** Like {@link #header(String, byte[])}, with the UTF-8 bytes of {@code value}. */
    Builder header(String name, String value);

    /** Removes all foreign headers of this name. */
    Builder withoutHeader(String name);

    /**
     * Builds the event.
     *
     * @throws IllegalArgumentException naming everything that is missing or invalid
     */
    Event build();
  }
}
