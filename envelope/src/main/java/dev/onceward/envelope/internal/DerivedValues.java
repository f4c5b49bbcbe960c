package dev.onceward.envelope.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.JsonPointerBasedFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import java.io.IOException;
import java.time.OffsetDateTime;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Entity version and time of the fact as many events carry them: in their JSON data. */
final class DerivedValues {
  private final @Nullable JsonPointer version;
  private final @Nullable JsonPointer occurredAt;

  DerivedValues(@Nullable JsonPointer version, @Nullable JsonPointer occurredAt) {
    this.version = version;
    this.occurredAt = occurredAt;
  }

  /** The event itself when it needs nothing from its data. */
  AbstractEvent complete(ConsumerRecord<byte[], byte[]> record, AbstractEvent event) {
    if (version == null && occurredAt == null) {
      return event;
    }
    byte[] data = event.payload();
    String contentType = event.getDataContentType();
    if (data == null || (contentType != null && !MediaTypes.isJson(contentType))) {
      return event;
    }
    Problems problems = new Problems();
    Long foundVersion = null;
    OffsetDateTime foundTime = null;
    try {
      if (version != null && event.text(Attributes.ENTITYVERSION) == null) {
        foundVersion = version(data, version, problems);
      }
      if (occurredAt != null && event.text(Attributes.OCCURREDAT) == null) {
        foundTime = time(data, occurredAt, problems);
      }
    } catch (IOException notJson) {
      if (contentType == null) {
        return event; // Nothing says that it should be JSON.
      }
      problems.add("the data is " + Json.describe(notJson));
    }
    problems.raise(record);
    return foundVersion == null && foundTime == null
        ? event
        : event.withDerived(foundVersion, foundTime);
  }

  private static @Nullable Long version(byte[] data, JsonPointer at, Problems problems)
      throws IOException {
    try (JsonParser parser = seek(data, at)) {
      JsonToken token = parser.nextToken();
      if (token == null || token == JsonToken.VALUE_NULL) {
        return null;
      }
      if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT) {
        String text = parser.getText();
        if (Versions.isValid(text)) {
          return Long.valueOf(text);
        }
      }
      problems.add("the data's " + at + " is no integer from 0 to " + Long.MAX_VALUE);
      return null;
    }
  }

  private static @Nullable OffsetDateTime time(byte[] data, JsonPointer at, Problems problems)
      throws IOException {
    try (JsonParser parser = seek(data, at)) {
      JsonToken token = parser.nextToken();
      if (token == null || token == JsonToken.VALUE_NULL) {
        return null;
      }
      if (token == JsonToken.VALUE_STRING && Rfc3339.isValid(parser.getText())) {
        return Rfc3339.parse(parser.getText());
      }
      problems.add("the data's " + at + " is no RFC 3339 timestamp (such as 2026-01-31T09:30:00Z)");
      return null;
    }
  }

  private static JsonParser seek(byte[] data, JsonPointer at) throws IOException {
    return new FilteringParserDelegate(
        Json.FACTORY.createParser(data),
        new JsonPointerBasedFilter(at),
        Inclusion.ONLY_INCLUDE_ALL,
        false);
  }
}
