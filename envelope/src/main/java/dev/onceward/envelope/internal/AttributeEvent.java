package dev.onceward.envelope.internal;

import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** An event with its attributes in a map: one that was built, or read in structured mode. */
final class AttributeEvent extends AbstractEvent {
  private final Map<String, Object> attributes;
  private final byte @Nullable [] payload;
  private final DataForm dataForm;
  private final Carried carried;

  /** The map is taken over, not copied. */
  AttributeEvent(
      Map<String, Object> attributes,
      byte @Nullable [] payload,
      DataForm dataForm,
      Carried carried) {
    this.attributes = attributes;
    this.payload = payload;
    this.dataForm = dataForm;
    this.carried = carried;
  }

  @Override
  public Carried carried() {
    return carried;
  }

  @Override
  @Nullable String text(String name) {
    Object value = attributes.get(name);
    return value == null ? null : value.toString();
  }

  @Override
  @Nullable Long derivedVersion() {
    return carried.derivedVersion();
  }

  @Override
  @Nullable OffsetDateTime derivedOccurredAt() {
    return carried.derivedOccurredAt();
  }

  @Override
  AttributeEvent withDerived(@Nullable Long version, @Nullable OffsetDateTime occurredAt) {
    return new AttributeEvent(
        attributes, payload, dataForm, carried.withDerived(version, occurredAt));
  }

  @Override
  public Set<String> attributeNames() {
    return Collections.unmodifiableSet(attributes.keySet());
  }

  @Override
  public @Nullable Object attribute(String name) {
    return attributes.get(name);
  }

  @Override
  public byte @Nullable [] recordKey() {
    Carried.RecordKey key = carried.key();
    if (key != null) {
      return key.bytes();
    }
    String entityKey = text(Attributes.PARTITIONKEY);
    return entityKey == null ? null : Utf8.encode(entityKey);
  }

  @Override
  public DataForm dataForm() {
    return dataForm;
  }

  @Override
  public byte @Nullable [] payload() {
    return payload;
  }

  @Override
  public List<Header> foreignHeaders() {
    return carried.foreign();
  }
}
