package dev.onceward.envelope.internal;

import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What an event carries along that is no attribute.
 *
 * @param key the record's key as read; null for an event that was built, whose key is its entity
 *     key
 * @param foreign headers that are no attributes
 * @param mirrored attributes which a structured record repeated in headers
 * @param unknownMembers JSON members that are no attributes, name to JSON text
 * @param derivedVersion the entity version found in the data
 * @param derivedOccurredAt the time of the fact found in the data
 */
record Carried(
    @Nullable RecordKey key,
    List<Header> foreign,
    Set<String> mirrored,
    Map<String, String> unknownMembers,
    @Nullable Long derivedVersion,
    @Nullable OffsetDateTime derivedOccurredAt) {

  static final Carried NOTHING = new Carried(null, List.of(), Set.of(), Map.of(), null, null);

  Carried withKey(@Nullable RecordKey newKey) {
    return new Carried(
        newKey, foreign, mirrored, unknownMembers, derivedVersion, derivedOccurredAt);
  }

  Carried withForeign(List<Header> headers) {
    return new Carried(key, headers, mirrored, unknownMembers, derivedVersion, derivedOccurredAt);
  }

  Carried withDerived(@Nullable Long version, @Nullable OffsetDateTime occurredAt) {
    return new Carried(key, foreign, mirrored, unknownMembers, version, occurredAt);
  }

  Carried withoutMember(String name) {
    if (!unknownMembers.containsKey(name)) {
      return this;
    }
    Map<String, String> others = new LinkedHashMap<>(unknownMembers);
    others.remove(name);
    return new Carried(
        key,
        foreign,
        mirrored,
        Collections.unmodifiableMap(others),
        derivedVersion,
        derivedOccurredAt);
  }

  /** A key that came with a record; null bytes are a record without key. */
  static final class RecordKey {
    private final byte @Nullable [] bytes;

    RecordKey(byte @Nullable [] bytes) {
      this.bytes = bytes;
    }

    byte @Nullable [] bytes() {
      return bytes;
    }
  }
}
