package dev.onceward.producer.outbox;

import static java.util.Objects.requireNonNull;

import dev.onceward.dedupe.internal.TableNames;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.envelope.SizePolicy;
import dev.onceward.envelope.TypeNaming;
import dev.onceward.producer.ContentMode;
import dev.onceward.producer.internal.EventRecords;
import dev.onceward.producer.internal.outbox.Append;
import dev.onceward.producer.internal.outbox.Draft;
import dev.onceward.producer.internal.outbox.Drafts;
import dev.onceward.producer.internal.outbox.OutboxTables;
import dev.onceward.tracing.EventTracing;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores events in the caller's database transaction: they are sent when it commits, and are not
 * when it rolls back. An {@link OutboxRelay} sends them.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * orders.markPaid(connection, order);   // locks the order's row
 * outbox.append(
 *     connection,
 *     "orders.order.events",
 *     outbox.newEvent("com.acme.orders.paid.v1", order).subject(order.id()).build());
 * connection.commit();
 * }</pre>
 *
 * <p><b>Order.</b> Events of one key and topic are sent in the order in which they were appended,
 * if transactions that write one entity wait for each other: each has locked the entity's row
 * (updated it, or {@code SELECT ... FOR UPDATE}) <em>before</em> it appends. Where there is no such
 * lock, use {@link #appendSerialized}. Different keys have no order.
 *
 * <p>Each event is stored as it goes on the wire, with the trace context of the transaction, so
 * nothing can go wrong with its form later. Onceward's connections are not needed: any JDBC
 * connection to PostgreSQL 14 or newer will do, also the one that an inbox lends to a handler.
 *
 * <p>Immutable and thread-safe; it holds no connection.
 */
public final class Outbox {

  /** The largest record accepted unless told otherwise, as Kafka's producer: 1 MiB. */
  public static final int DEFAULT_MAX_RECORD_BYTES = 1_048_576;

  private final @Nullable URI source;
  private final PayloadMapper payloadMapper;
  private final Drafts drafts;
  private final Append append;
  private final @Nullable OutboxRelay relay;

  private Outbox(Builder builder) {
    this.source = builder.source;
    this.payloadMapper = builder.payloadMapper;
    this.relay = builder.relay;
    this.drafts =
        new Drafts(
            new EventRecords<>(
                builder.capture ? ContentMode.STRUCTURED : builder.mode,
                builder.typeNaming,
                builder.sizePolicy,
                builder.tracing::startCreate),
            builder.maxRecordBytes);
    this.append =
        new Append(
            new OutboxTables(new TableNames(builder.schema, builder.tablePrefix)), builder.capture);
  }

  /** An outbox with the default settings. */
  public static Outbox standard() {
    return builder().build();
  }

  /** A builder with the default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts an event of this type with a new UUIDv7 id, the time now and the outbox's source.
   * Nothing is stored.
   */
  public Event.Builder newEvent(String type) {
    return EventRecords.newEvent(type, source);
  }

  /**
   * Like {@link #newEvent(String)}, with {@code payload} as the data, written by the outbox's
   * payload mapper.
   *
   * @throws dev.onceward.envelope.PayloadException when the payload cannot be written
   */
  public Event.Builder newEvent(String type, Object payload) {
    requireNonNull(payload, "payload: for an event without data call newEvent(type)");
    return newEvent(type).data(payload, payloadMapper);
  }

  /**
   * Stores {@code event} in the transaction that is open on {@code tx}: one insert, one round trip.
   * The event's entity key becomes the record key.
   *
   * @param tx a connection out of autocommit, with the transaction of what the event tells of
   * @param topic where the event is to be sent
   * @throws IllegalStateException when the connection is in autocommit mode
   * @throws OutboxRefusedException when a policy refuses the event, its record is too large, or the
   *     topic's name is not legal; nothing was sent to the database
   * @throws SQLException when the insert fails; the transaction can only be rolled back then
   */
  public void append(Connection tx, String topic, Event event) throws SQLException {
    store(tx, topic, List.of(requireNonNull(event, "event")), false);
  }

  /**
   * Stores several events for one topic, in this order, with one insert. None is stored when one is
   * refused. Else as {@link #append}.
   *
   * @param events may be empty, then nothing is done
   */
  public void appendAll(Connection tx, String topic, List<Event> events) throws SQLException {
    store(tx, topic, List.copyOf(events), false);
  }

  /**
   * Like {@link #append}, and makes transactions that append events of the same topic and key in
   * this way wait for each other, from here to their end. For writers that have no row of the
   * entity to lock. It takes {@code pg_advisory_xact_lock} on a hash of topic and key in the same
   * round trip; events without a key take no lock.
   *
   * <p>Two transactions that do this for the same two keys in opposite order deadlock, and
   * PostgreSQL ends one of them (SQLSTATE 40P01): repeat it. A lock timeout of the session holds
   * for the wait.
   *
   * <p>At READ COMMITTED only. A transaction at a higher isolation level that waited goes on with
   * the snapshot that it had before.
   */
  public void appendSerialized(Connection tx, String topic, Event event) throws SQLException {
    store(tx, topic, List.of(requireNonNull(event, "event")), true);
  }

  private void store(Connection tx, String topic, List<Event> events, boolean serialized)
      throws SQLException {
    requireNonNull(topic, "topic");
    if (requireNonNull(tx, "tx").getAutoCommit()) {
      throw new IllegalStateException(
          "The outbox needs an open transaction, but the connection is in autocommit mode: call"
              + " setAutoCommit(false) before the first statement and commit() after the last, or"
              + " append inside the framework's transaction.");
    }
    if (events.isEmpty()) {
      return;
    }
    List<Draft> made = drafts.of(topic, events);
    append.run(tx, made, serialized);
    if (relay != null) {
      relay.expectSoon();
    }
  }

  /** Settings of an outbox. Not thread-safe. */
  public static final class Builder {
    private @Nullable URI source;
    private ContentMode mode = ContentMode.BINARY;
    private TypeNaming typeNaming = TypeNaming.standard();
    private SizePolicy sizePolicy = SizePolicy.standard();
    private PayloadMapper payloadMapper = JacksonPayloadMapper.standard();
    private EventTracing tracing = EventTracing.global();
    private int maxRecordBytes = DEFAULT_MAX_RECORD_BYTES;
    private @Nullable String schema;
    private String tablePrefix = TableNames.DEFAULT_PREFIX;
    private @Nullable OutboxRelay relay;
    private boolean capture;

    private Builder() {}

    /** The source of events from {@link Outbox#newEvent}. Default: none, each names its own. */
    public Builder source(URI source) {
      this.source = requireNonNull(source, "source");
      return this;
    }

    /** How events are written. Default: {@link ContentMode#BINARY}. */
    public Builder mode(ContentMode mode) {
      this.mode = requireNonNull(mode, "mode");
      return this;
    }

    /** How types must be named. Default: {@link TypeNaming#standard()}. */
    public Builder typeNaming(TypeNaming typeNaming) {
      this.typeNaming = requireNonNull(typeNaming, "typeNaming");
      return this;
    }

    /** How large data may be. Default: {@link SizePolicy#standard()}. */
    public Builder sizePolicy(SizePolicy sizePolicy) {
      this.sizePolicy = requireNonNull(sizePolicy, "sizePolicy");
      return this;
    }

    /** What writes payloads. Default: {@link JacksonPayloadMapper#standard()}. */
    public Builder payloadMapper(PayloadMapper payloadMapper) {
      this.payloadMapper = requireNonNull(payloadMapper, "payloadMapper");
      return this;
    }

    /** Spans and trace context. Default: {@link EventTracing#global()}. */
    public Builder tracing(EventTracing tracing) {
      this.tracing = requireNonNull(tracing, "tracing");
      return this;
    }

    /**
     * The largest record that is accepted, in bytes: key, headers, value and Kafka's own part,
     * uncompressed. Should not be more than the relay's {@code max.request.size} and the topics'
     * {@code max.message.bytes}: a row that these refuse stops its key. Default: {@link
     * #DEFAULT_MAX_RECORD_BYTES}.
     */
    public Builder maxRecordBytes(int bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("maxRecordBytes must be at least 1: " + bytes);
      }
      this.maxRecordBytes = bytes;
      return this;
    }

    /** The schema of the outbox's tables. Default: found on the connection's search path. */
    public Builder schema(String schema) {
      this.schema = requireNonNull(schema, "schema");
      return this;
    }

    /** What the table names start with: a-z, 0-9 and _. Default: {@code onceward_}. */
    public Builder tablePrefix(String prefix) {
      this.tablePrefix = requireNonNull(prefix, "prefix");
      return this;
    }

    /**
     * A relay in this process, which looks for rows at short intervals (5 ms) for a second after
     * each append, as a commit is likely to follow. Default: none, the relay finds the row within
     * 250 ms. To cut the wait altogether call {@link OutboxRelay#wakeUp} after the commit.
     */
    public Builder relay(OutboxRelay relay) {
      this.relay = requireNonNull(relay, "relay");
      return this;
    }

    /**
     * Writes for change data capture (Debezium's outbox event router) instead of a relay: events in
     * {@link ContentMode#STRUCTURED}, so that key and value are the whole record, and each row
     * deleted again in the same transaction, as the write-ahead log is what is read. Costs a second
     * round trip. Do not run a relay's and a connector's writers at once: see docs/outbox.md for
     * how to move.
     */
    public Builder changeDataCapture() {
      this.capture = true;
      return this;
    }

    /**
     * Builds the outbox.
     *
     * @throws IllegalArgumentException if the schema or the prefix cannot be one
     */
    public Outbox build() {
      return new Outbox(this);
    }
  }
}
