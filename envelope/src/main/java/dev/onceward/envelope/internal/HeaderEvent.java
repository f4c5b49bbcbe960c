package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventHeaders;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A binary-mode event as a view of its record's headers: nothing is decoded before it is asked for.
 * An attribute is the last header of its name that has a value in UTF-8.
 */
final class HeaderEvent extends AbstractEvent {
  private final Header[] headers;
  private final byte @Nullable [] key;
  private final byte @Nullable [] value;
  private final @Nullable Long derivedVersion;
  private final @Nullable OffsetDateTime derivedOccurredAt;
  // Caches as in AbstractEvent: these are asked for on every delivery.
  private @Nullable String id;
  private @Nullable String type;
  // Made for those who go through all attributes: a scan for each of many would take minutes.
  private @Nullable Map<String, String> all;

  /** The headers have been {@linkplain HeaderScan scanned}. */
  HeaderEvent(
      Header[] headers,
      byte @Nullable [] key,
      byte @Nullable [] value,
      @Nullable Long derivedVersion,
      @Nullable OffsetDateTime derivedOccurredAt) {
    this.headers = headers;
    this.key = key;
    this.value = value;
    this.derivedVersion = derivedVersion;
    this.derivedOccurredAt = derivedOccurredAt;
  }

  @Override
  HeaderEvent withDerived(@Nullable Long version, @Nullable OffsetDateTime occurredAt) {
    return new HeaderEvent(headers, key, value, version, occurredAt);
  }

  @Override
  public String getId() {
    String cached = id;
    if (cached == null) {
      cached = super.getId();
      id = cached;
    }
    return cached;
  }

  @Override
  public String getType() {
    String cached = type;
    if (cached == null) {
      cached = super.getType();
      type = cached;
    }
    return cached;
  }

  @Override
  @Nullable String text(String name) {
    Map<String, String> known = all;
    if (known != null) {
      return known.get(name);
    }
    boolean contentType = name.equals(Attributes.DATACONTENTTYPE);
    for (int i = headers.length - 1; i >= 0; i--) {
      String header = headers[i].key();
      if (contentType
          ? header.equals(EventHeaders.CONTENT_TYPE)
          : Attributes.isHeaderOf(header, name)) {
        byte[] bytes = headers[i].value();
        String text = bytes == null ? null : Utf8.decode(bytes);
        if (text != null) {
          return text;
        }
      }
    }
    return null;
  }

  @Override
  public @Nullable Object attribute(String name) {
    return Attributes.isLegalName(name) ? text(name) : null;
  }

  @Override
  public Set<String> attributeNames() {
    Map<String, String> known = all;
    if (known == null) {
      known = Collections.unmodifiableMap(findAll());
      all = known;
    }
    return known.keySet();
  }

  private Map<String, String> findAll() {
    Map<String, String> found = new LinkedHashMap<>();
    for (Header header : headers) {
      boolean contentType = header.key().equals(EventHeaders.CONTENT_TYPE);
      byte[] bytes = header.value();
      if (bytes == null || !(contentType || Attributes.isAttributeHeader(header.key()))) {
        continue;
      }
      String text = Utf8.decode(bytes);
      if (text != null) {
        found.put(
            contentType ? Attributes.DATACONTENTTYPE : Attributes.ofHeader(header.key()), text);
      }
    }
    return found;
  }

  @Override
  public List<Header> foreignHeaders() {
    return ForeignHeaders.of(headers, attributeNames(), getId());
  }

  @Override
  public byte @Nullable [] recordKey() {
    return key;
  }

  @Override
  public byte @Nullable [] payload() {
    return value;
  }

  @Override
  public Carried carried() {
    return new Carried(
        new Carried.RecordKey(key),
        foreignHeaders(),
        Set.of(),
        Map.of(),
        derivedVersion,
        derivedOccurredAt);
  }

  @Override
  public DataForm dataForm() {
    return DataForm.AUTO;
  }

  @Override
  @Nullable Long derivedVersion() {
    return derivedVersion;
  }

  @Override
  @Nullable OffsetDateTime derivedOccurredAt() {
    return derivedOccurredAt;
  }
}
