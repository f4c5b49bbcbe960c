package dev.onceward.envelope;

import io.cloudevents.CloudEventData;
import io.cloudevents.SpecVersion;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** An implementation of the interface that is not ours. */
record DelegatingEvent(Event event) implements Event {
  @Override
  public URI getSource() {
    return event.getSource();
  }

  @Override
  public @Nullable String getSubject() {
    return event.getSubject();
  }

  @Override
  public @Nullable OffsetDateTime getTime() {
    return event.getTime();
  }

  @Override
  public @Nullable String getDataContentType() {
    return event.getDataContentType();
  }

  @Override
  public @Nullable URI getDataSchema() {
    return event.getDataSchema();
  }

  @Override
  public @Nullable CloudEventData getData() {
    return event.getData();
  }

  @Override
  public Optional<String> entityKey() {
    return event.entityKey();
  }

  @Override
  public OptionalLong entityVersion() {
    return event.entityVersion();
  }

  @Override
  public Optional<OffsetDateTime> occurredAt() {
    return event.occurredAt();
  }

  @Override
  public Optional<OffsetDateTime> expiryTime() {
    return event.expiryTime();
  }

  @Override
  public Optional<String> correlationId() {
    return event.correlationId();
  }

  @Override
  public Optional<String> causationId() {
    return event.causationId();
  }

  @Override
  public Optional<String> originTraceparent() {
    return event.originTraceparent();
  }

  @Override
  public byte @Nullable [] payload() {
    return event.payload();
  }

  @Override
  public List<Header> foreignHeaders() {
    return event.foreignHeaders();
  }

  @Override
  public SpecVersion getSpecVersion() {
    return event.getSpecVersion();
  }

  @Override
  public String getId() {
    return event.getId();
  }

  @Override
  public String getType() {
    return event.getType();
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return event.getAttribute(name);
  }

  @Override
  public @Nullable Object getExtension(String name) {
    return event.getExtension(name);
  }

  @Override
  public Set<String> getExtensionNames() {
    return event.getExtensionNames();
  }
}
