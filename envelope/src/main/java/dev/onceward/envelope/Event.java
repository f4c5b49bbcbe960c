package dev.onceward.envelope;

import io.cloudevents.CloudEvent;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A CloudEvent 1.0.2 with Onceward's typed attributes. Immutable and thread-safe. */
public interface Event extends CloudEvent {

  /** The entity key ({@code ce_partitionkey}); it equals the record key. */
  Optional<String> entityKey();

  /** The version of the entity ({@code ce_entityversion}). */
  OptionalLong entityVersion();

  /** When the fact happened ({@code ce_occurredat}); {@link #getTime()} is when it was produced. */
  Optional<OffsetDateTime> occurredAt();

  /** Do not start handling after this instant ({@code ce_expirytime}). */
  Optional<OffsetDateTime> expiryTime();

  Optional<String> correlationId();

  Optional<String> causationId();

  /** The W3C traceparent of the origin ({@code ce_traceparent}). */
  Optional<String> originTraceparent();

  /** The data bytes as they were on the wire, or null when the event carries no data. */
  byte @Nullable [] payload();

  /** Headers that are no CloudEvents attribute, in their order; written again by a re-emit. */
  List<Header> foreignHeaders();
}
