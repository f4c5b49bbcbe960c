package dev.onceward.envelope.internal;

import io.cloudevents.CloudEventData;
import io.cloudevents.SpecVersion;
import io.cloudevents.core.data.BytesCloudEventData;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The typed face of an event over the text of its attributes. Whoever creates one has checked the
 * required and the typed attributes, so that no accessor can fail.
 */
abstract class AbstractEvent implements WireEvent {
  // Caches, filled by whoever asks first; races are harmless: the values are immutable and equal.
  private @Nullable URI source;
  private @Nullable OffsetDateTime time;

  /** The attribute's canonical text. */
  abstract @Nullable String text(String name);

  abstract @Nullable Long derivedVersion();

  abstract @Nullable OffsetDateTime derivedOccurredAt();

  /** The same event with values found in its data. */
  abstract AbstractEvent withDerived(@Nullable Long version, @Nullable OffsetDateTime occurredAt);

  @Override
  public SpecVersion getSpecVersion() {
    return SpecVersion.V1;
  }

  @Override
  public String getId() {
    return required(Attributes.ID);
  }

  @Override
  public String getType() {
    return required(Attributes.TYPE);
  }

  @Override
  public URI getSource() {
    URI uri = source;
    if (uri == null) {
      uri = Uris.tolerant(required(Attributes.SOURCE));
      source = uri;
    }
    return uri;
  }

  @Override
  public @Nullable String getDataContentType() {
    return text(Attributes.DATACONTENTTYPE);
  }

  @Override
  public @Nullable URI getDataSchema() {
    String schema = text(Attributes.DATASCHEMA);
    return schema == null ? null : Uris.tolerant(schema);
  }

  @Override
  public @Nullable String getSubject() {
    return text(Attributes.SUBJECT);
  }

  @Override
  public @Nullable OffsetDateTime getTime() {
    OffsetDateTime parsed = time;
    if (parsed == null) {
      parsed = time(Attributes.TIME);
      time = parsed;
    }
    return parsed;
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return switch (name) {
      case Attributes.SPECVERSION -> getSpecVersion();
      case Attributes.ID -> getId();
      case Attributes.SOURCE -> getSource();
      case Attributes.TYPE -> getType();
      case Attributes.DATACONTENTTYPE -> getDataContentType();
      case Attributes.DATASCHEMA -> getDataSchema();
      case Attributes.SUBJECT -> getSubject();
      case Attributes.TIME -> getTime();
      default ->
          throw new IllegalArgumentException(
              name + " is no CloudEvents 1.0 attribute; use getExtension for extensions");
    };
  }

  @Override
  public @Nullable Object getExtension(String name) {
    return Attributes.CORE.contains(name) ? null : attribute(name);
  }

  @Override
  public Set<String> getExtensionNames() {
    Set<String> names = new LinkedHashSet<>(attributeNames());
    names.removeAll(Attributes.CORE);
    return names;
  }

  @Override
  public @Nullable CloudEventData getData() {
    byte[] payload = payload();
    return payload == null ? null : BytesCloudEventData.wrap(payload);
  }

  @Override
  public Optional<String> entityKey() {
    String partitionKey = text(Attributes.PARTITIONKEY);
    if (partitionKey != null) {
      return Optional.of(partitionKey);
    }
    byte[] key = recordKey();
    return key == null || key.length == 0
        ? Optional.empty()
        : Optional.ofNullable(Utf8.decode(key));
  }

  @Override
  public OptionalLong entityVersion() {
    String version = text(Attributes.ENTITYVERSION);
    if (version != null) {
      return OptionalLong.of(Long.parseLong(version));
    }
    Long derived = derivedVersion();
    return derived == null ? OptionalLong.empty() : OptionalLong.of(derived);
  }

  @Override
  public Optional<OffsetDateTime> occurredAt() {
    OffsetDateTime occurredAt = time(Attributes.OCCURREDAT);
    return Optional.ofNullable(occurredAt != null ? occurredAt : derivedOccurredAt());
  }

  @Override
  public Optional<OffsetDateTime> expiryTime() {
    return Optional.ofNullable(time(Attributes.EXPIRYTIME));
  }

  @Override
  public Optional<String> correlationId() {
    return Optional.ofNullable(text(Attributes.CORRELATIONID));
  }

  @Override
  public Optional<String> causationId() {
    return Optional.ofNullable(text(Attributes.CAUSATIONID));
  }

  @Override
  public Optional<String> originTraceparent() {
    return Optional.ofNullable(text(Attributes.TRACEPARENT));
  }

  private @Nullable OffsetDateTime time(String name) {
    String text = text(name);
    return text == null ? null : Rfc3339.parse(text);
  }

  private String required(String name) {
    return Objects.requireNonNull(text(name), name);
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof AbstractEvent that)
        || !Arrays.equals(payload(), that.payload())
        || !attributeNames().equals(that.attributeNames())) {
      return false;
    }
    for (String name : attributeNames()) {
      if (!Objects.equals(text(name), that.text(name))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final int hashCode() {
    return 31 * required(Attributes.SOURCE).hashCode() + getId().hashCode();
  }

  @Override
  public final String toString() {
    byte[] payload = payload();
    return "Event{type=%s, source=%s, id=%s, time=%s, version=%s, data=%s}"
        .formatted(
            getType(),
            required(Attributes.SOURCE),
            getId(),
            Objects.toString(text(Attributes.TIME), "none"),
            Objects.toString(text(Attributes.ENTITYVERSION), "none"),
            payload == null ? "none" : payload.length + " bytes");
  }
}
