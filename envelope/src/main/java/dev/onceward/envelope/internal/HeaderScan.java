package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventHeaders;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the headers of a binary-mode record that checks what the event's accessors rely on.
 */
final class HeaderScan {
  private byte @Nullable [] specVersion;
  private byte @Nullable [] id;
  private byte @Nullable [] source;
  private byte @Nullable [] type;
  private byte @Nullable [] time;
  private byte @Nullable [] entityVersion;
  private byte @Nullable [] occurredAt;
  private byte @Nullable [] expiryTime;
  private byte @Nullable [] subject;
  private byte @Nullable [] dataSchema;
  private byte @Nullable [] partitionKey;
  private byte @Nullable [] correlationId;
  private byte @Nullable [] causationId;

  HeaderScan(Header[] headers) {
    for (Header header : headers) {
      byte[] value = header.value();
      if (value != null && header.key().startsWith(EventHeaders.PREFIX)) {
        take(header.key(), value);
      }
    }
  }

  // By length first: the hash of a fresh string costs more than all of this.
  private void take(String name, byte[] value) {
    switch (name.length()) {
      case 5 -> {
        if (name.equals(EventHeaders.ID)) {
          id = value;
        }
      }
      case 7 -> {
        if (name.equals(EventHeaders.TYPE)) {
          type = value;
        } else if (name.equals(EventHeaders.TIME)) {
          time = value;
        }
      }
      case 9 -> {
        if (name.equals(EventHeaders.SOURCE)) {
          source = value;
        }
      }
      case 10 -> {
        if (name.equals(EventHeaders.SUBJECT)) {
          subject = value;
        }
      }
      case 13 -> {
        if (name.equals(EventHeaders.OCCURREDAT)) {
          occurredAt = value;
        } else if (name.equals(EventHeaders.EXPIRYTIME)) {
          expiryTime = value;
        } else if (name.equals(EventHeaders.DATASCHEMA)) {
          dataSchema = value;
        }
      }
      case 14 -> {
        if (name.equals(EventHeaders.SPECVERSION)) {
          specVersion = value;
        } else if (name.equals(EventHeaders.CAUSATIONID)) {
          causationId = value;
        }
      }
      case 15 -> {
        if (name.equals(EventHeaders.PARTITIONKEY)) {
          partitionKey = value;
        }
      }
      case 16 -> {
        if (name.equals(EventHeaders.ENTITYVERSION)) {
          entityVersion = value;
        } else if (name.equals(EventHeaders.CORRELATIONID)) {
          correlationId = value;
        }
      }
      default -> {}
    }
  }

  boolean hasEntityVersion() {
    return entityVersion != null;
  }

  boolean hasOccurredAt() {
    return occurredAt != null;
  }

  /** Whether it looks like an event at all, whatever is missing. */
  boolean isEvent() {
    return specVersion != null || id != null || source != null || type != null;
  }

  /** Adds what is wrong. */
  void check(Problems problems) {
    if (specVersion == null) {
      problems.missing(EventHeaders.SPECVERSION, "1.0");
    } else if (specVersion.length != 3
        || specVersion[0] != '1'
        || specVersion[1] != '.'
        || specVersion[2] != '0') {
      problems.specVersion(EventHeaders.SPECVERSION);
    }
    problems.required(EventHeaders.ID, id);
    problems.required(EventHeaders.SOURCE, source);
    problems.required(EventHeaders.TYPE, type);
    problems.time(EventHeaders.TIME, time);
    problems.time(EventHeaders.OCCURREDAT, occurredAt);
    problems.time(EventHeaders.EXPIRYTIME, expiryTime);
    problems.version(EventHeaders.ENTITYVERSION, entityVersion);
    problems.text(EventHeaders.SUBJECT, subject);
    problems.text(EventHeaders.DATASCHEMA, dataSchema);
    problems.text(EventHeaders.PARTITIONKEY, partitionKey);
    problems.text(EventHeaders.CORRELATIONID, correlationId);
    problems.text(EventHeaders.CAUSATIONID, causationId);
  }
}
