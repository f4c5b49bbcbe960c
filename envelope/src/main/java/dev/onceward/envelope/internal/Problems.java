package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventFormatException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with a record; allocates nothing while all is well. */
final class Problems {
  private @Nullable List<String> found;

  void add(String problem) {
    if (found == null) {
      found = new ArrayList<>();
    }
    found.add(problem);
  }

  void missing(String name, String example) {
    add(name + " is missing: set it (such as " + example + ")");
  }

  void specVersion(String name) {
    add(name + " is not 1.0, the CloudEvents version that can be read: produce events as 1.0");
  }

  void required(String name, byte @Nullable [] value) {
    if (value == null) {
      add(name + " is missing: a CloudEvent must have it");
    } else if (Utf8.isBlank(value)) {
      add(name + " is blank: give it a value");
    } else {
      text(name, value);
    }
  }

  void text(String name, byte @Nullable [] value) {
    if (value != null && !Utf8.isValid(value)) {
      add(name + " is not UTF-8 text: encode it as UTF-8");
    }
  }

  void time(String name, byte @Nullable [] value) {
    if (value != null && !Rfc3339.isValid(value)) {
      add(name + " is not an RFC 3339 timestamp (such as 2026-01-31T09:30:00Z)");
    }
  }

  void version(String name, byte @Nullable [] value) {
    if (value != null && !Versions.isValid(value)) {
      add(name + " is not a decimal integer from 0 to " + Long.MAX_VALUE);
    }
  }

  /** Fails when something was found. */
  void raise(ConsumerRecord<?, ?> record) {
    if (found != null) {
      throw failure(record, String.join("; ", found));
    }
  }

  static EventFormatException failure(ConsumerRecord<?, ?> record, String problem) {
    return new EventFormatException(
        "Record %s-%d@%d cannot be read as a CloudEvent: %s"
            .formatted(record.topic(), record.partition(), record.offset(), problem));
  }
}
