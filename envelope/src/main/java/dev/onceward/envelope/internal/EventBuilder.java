package dev.onceward.envelope.internal;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventHeaders;
import dev.onceward.envelope.PayloadMapper;
import java.net.URI;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** Builds events and copies of events. What a copy carries over is not validated again. */
public final class EventBuilder implements Event.Builder {
  private final boolean fresh;
  private final Map<String, Object> attributes = new LinkedHashMap<>();
  // What is wrong, by attribute: setting it again replaces the verdict.
  private final Map<String, String> problems = new LinkedHashMap<>();
  private final List<Header> headers = new ArrayList<>();
  private Carried carried = Carried.NOTHING;
  private byte @Nullable [] payload;
  private DataForm dataForm = DataForm.AUTO;

  private EventBuilder(boolean fresh) {
    this.fresh = fresh;
    attributes.put(Attributes.SPECVERSION, "1.0");
  }

  public static EventBuilder fresh() {
    return new EventBuilder(true);
  }

  public static EventBuilder from(Event event) {
    EventBuilder copy = new EventBuilder(false);
    copy.payload = event.payload();
    copy.headers.addAll(event.foreignHeaders());
    if (event instanceof WireEvent wire) {
      wire.attributeNames()
          .forEach(name -> copy.put(name, Objects.requireNonNull(wire.attribute(name))));
      copy.dataForm = wire.dataForm();
      copy.carried = wire.carried();
    } else {
      copy.attributesOf(event);
    }
    return copy;
  }

  /** The attributes of an event that is not of our making. */
  private void attributesOf(Event event) {
    id(event.getId()).source(event.getSource()).type(event.getType());
    subject(event.getSubject()).time(event.getTime()).dataSchema(event.getDataSchema());
    putOrRemove(Attributes.DATACONTENTTYPE, event.getDataContentType());
    event.getExtensionNames().forEach(name -> extension(name, event.getExtension(name)));
    event.entityKey().ifPresent(this::entityKey);
    event.entityVersion().ifPresent(this::entityVersion);
    event.occurredAt().ifPresent(this::occurredAt);
    event.expiryTime().ifPresent(this::expiryTime);
    event.correlationId().ifPresent(this::correlationId);
    event.causationId().ifPresent(this::causationId);
    event.originTraceparent().ifPresent(this::originTraceparent);
  }

  @Override
  public EventBuilder id(String id) {
    return text(Attributes.ID, id);
  }

  @Override
  public EventBuilder source(URI source) {
    return source(source.toString());
  }

  @Override
  public EventBuilder source(String source) {
    text(Attributes.SOURCE, source);
    if (Uris.parse(source) == null) {
      problems.put(Attributes.SOURCE, "source is no URI reference (RFC 3986)");
    }
    return this;
  }

  @Override
  public EventBuilder type(String type) {
    return text(Attributes.TYPE, type);
  }

  @Override
  public EventBuilder subject(@Nullable String subject) {
    return text(Attributes.SUBJECT, subject);
  }

  @Override
  public EventBuilder time(@Nullable OffsetDateTime time) {
    return time(Attributes.TIME, time);
  }

  @Override
  public EventBuilder entityKey(@Nullable String key) {
    carried = carried.withKey(null);
    return text(Attributes.PARTITIONKEY, key);
  }

  @Override
  public EventBuilder entityVersion(long version) {
    put(Attributes.ENTITYVERSION, Long.toString(version));
    if (version < 0) {
      problems.put(Attributes.ENTITYVERSION, "entityVersion is negative");
    }
    return this;
  }

  @Override
  public EventBuilder occurredAt(@Nullable OffsetDateTime occurredAt) {
    return time(Attributes.OCCURREDAT, occurredAt);
  }

  @Override
  public EventBuilder expiryTime(@Nullable OffsetDateTime expiryTime) {
    return time(Attributes.EXPIRYTIME, expiryTime);
  }

  @Override
  public EventBuilder correlationId(@Nullable String correlationId) {
    return text(Attributes.CORRELATIONID, correlationId);
  }

  @Override
  public EventBuilder causationId(@Nullable String causationId) {
    return text(Attributes.CAUSATIONID, causationId);
  }

  @Override
  public EventBuilder causedBy(Event cause) {
    return causationId(cause.getId()).correlationId(cause.correlationId().orElse(cause.getId()));
  }

  @Override
  public EventBuilder originTraceparent(@Nullable String traceparent) {
    return text(Attributes.TRACEPARENT, traceparent);
  }

  @Override
  public EventBuilder dataSchema(@Nullable URI dataSchema) {
    text(Attributes.DATASCHEMA, dataSchema == null ? null : dataSchema.toString());
    if (fresh && dataSchema != null && !dataSchema.isAbsolute()) {
      problems.put(Attributes.DATASCHEMA, "dataSchema is no absolute URI");
    }
    return this;
  }

  @Override
  public EventBuilder extension(String name, @Nullable Object value) {
    if (!Attributes.isLegalName(name)) {
      problems.put(name, "extension name '" + name + "' is not of lower-case letters and digits");
    } else if (Attributes.CORE.contains(name)) {
      problems.put("extension " + name, name + " is no extension: use its own setter");
    } else if (value == null) {
      carried = carried.withoutMember(name);
      text(name, null);
    } else {
      setExtension(name, value);
    }
    if (name.equals(Attributes.PARTITIONKEY)) {
      carried = carried.withKey(null);
    }
    return this;
  }

  private void setExtension(String name, Object value) {
    Object canonical = AttributeValues.canonical(value);
    if (canonical == null) {
      problems.put(
          name, "extension " + name + " is of no CloudEvents type: " + value.getClass().getName());
    } else if (canonical instanceof String text) {
      text(name, text);
    } else {
      put(name, canonical);
    }
    boolean timestamp = name.equals(Attributes.OCCURREDAT) || name.equals(Attributes.EXPIRYTIME);
    if (timestamp && !Rfc3339.isValid(String.valueOf(canonical))) {
      problems.put(name, "extension " + name + " is no RFC 3339 timestamp");
    }
    if (name.equals(Attributes.ENTITYVERSION) && !Versions.isValid(String.valueOf(canonical))) {
      problems.put(name, "extension " + name + " is no decimal integer, zero or more");
    }
  }

  @Override
  public EventBuilder data(byte[] data, String contentType) {
    return setData(data.clone(), contentType);
  }

  @Override
  public EventBuilder data(Object payload, PayloadMapper mapper) {
    return setData(mapper.write(payload), mapper.contentType());
  }

  private EventBuilder setData(byte[] data, String contentType) {
    noData();
    payload = data;
    text(Attributes.DATACONTENTTYPE, contentType);
    if (contentType.isBlank()) {
      problems.put(Attributes.DATACONTENTTYPE, "content type is blank");
    } else if (MediaTypes.isCloudEvents(Utf8.encode(contentType))) {
      problems.put(
          Attributes.DATACONTENTTYPE,
          "content type " + contentType + " would make a reader take the data for the event");
    }
    return this;
  }

  @Override
  public EventBuilder noData() {
    payload = null;
    dataForm = DataForm.AUTO;
    carried = carried.withDerived(null, null);
    return text(Attributes.DATACONTENTTYPE, null);
  }

  @Override
  public EventBuilder header(String name, byte @Nullable [] value) {
    if (name.startsWith(EventHeaders.PREFIX)
        || name.equals(EventHeaders.CONTENT_TYPE)
        || name.equals(EventHeaders.EVENT_ID)) {
      problems.put(
          "header " + name, "header " + name + " is the event's own: use the attribute's setter");
    }
    headers.add(new RecordHeader(name, value == null ? null : value.clone()));
    return this;
  }

  @Override
  public EventBuilder header(String name, String value) {
    if (!Utf8.isEncodable(value)) {
      problems.put("header " + name, "header " + name + " has half of a surrogate pair");
    }
    return header(name, Utf8.encode(value));
  }

  @Override
  public EventBuilder withoutHeader(String name) {
    headers.removeIf(header -> header.key().equals(name));
    problems.remove("header " + name);
    return this;
  }

  @Override
  public Event build() {
    for (String name : List.of(Attributes.SOURCE, Attributes.TYPE)) {
      if (!attributes.containsKey(name)) {
        problems.putIfAbsent(name, name + " is missing");
      }
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          "Event cannot be built: " + String.join("; ", problems.values()));
    }
    return assemble();
  }

  AttributeEvent assemble() {
    Map<String, Object> all = new LinkedHashMap<>(attributes);
    if (fresh) {
      all.computeIfAbsent(Attributes.ID, missing -> Ids.next());
      all.computeIfAbsent(
          Attributes.TIME,
          missing ->
              // Microseconds are what databases keep.
              Rfc3339.format(OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS)));
      Object subject = all.get(Attributes.SUBJECT);
      if (subject != null) {
        all.putIfAbsent(Attributes.PARTITIONKEY, subject);
      }
    }
    return new AttributeEvent(all, payload, dataForm, carried.withForeign(List.copyOf(headers)));
  }

  private EventBuilder time(String name, @Nullable OffsetDateTime time) {
    if (time != null && !Rfc3339.isWritable(time)) {
      problems.put(name, name + " has a year beyond the four digits of RFC 3339");
      return this;
    }
    return text(name, time == null ? null : Rfc3339.format(time));
  }

  private EventBuilder text(String name, @Nullable String value) {
    putOrRemove(name, value);
    if (value == null) {
      return this;
    }
    String flaw = AttributeValues.flaw(value);
    if (flaw != null) {
      problems.put(name, name + " " + flaw);
    } else if (value.isBlank() && Attributes.REQUIRED.contains(name)) {
      problems.put(name, name + " is blank");
    }
    return this;
  }

  private void putOrRemove(String name, @Nullable Object value) {
    if (value == null) {
      attributes.remove(name);
      problems.remove(name);
    } else {
      put(name, value);
    }
  }

  private void put(String name, Object value) {
    attributes.put(name, value);
    problems.remove(name);
  }
}
