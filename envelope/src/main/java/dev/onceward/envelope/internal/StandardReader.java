package dev.onceward.envelope.internal;

import com.fasterxml.jackson.core.JsonPointer;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventFormatException;
import dev.onceward.envelope.EventHeaders;
import dev.onceward.envelope.EventReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Tells the modes apart, and completes an event from its data where that is configured. */
public final class StandardReader implements EventReader {
  private final DerivedValues derived;

  private StandardReader(DerivedValues derived) {
    this.derived = derived;
  }

  @Override
  public Event read(ConsumerRecord<byte[], byte[]> record) throws EventFormatException {
    Header[] headers = record.headers().toArray();
    byte[] contentType = contentType(headers);
    if (contentType != null && MediaTypes.isCloudEvents(contentType)) {
      String text = Utf8.decode(contentType);
      if (text != null && MediaTypes.isCloudEventsJson(text)) {
        return derived.complete(record, new StructuredReader(record, headers).read(text));
      }
      return readBinary(record, headers, text);
    }
    return readBinary(record, headers, null);
  }

  private AbstractEvent readBinary(
      ConsumerRecord<byte[], byte[]> record, Header[] headers, @Nullable String format) {
    HeaderScan scan = new HeaderScan(headers);
    if (!scan.isEvent()) {
      throw Problems.failure(
          record,
          format == null
              ? "it has neither ce_ headers nor the content-type application/cloudevents+json"
                  + " (produce it in binary or structured mode of the CloudEvents Kafka binding)"
              : "the format of content-type "
                  + MediaTypes.essence(format)
                  + " is not supported (produce one event a record, as "
                  + MediaTypes.CLOUDEVENTS_JSON
                  + " or with ce_ headers)");
    }
    Problems problems = new Problems();
    scan.check(problems);
    problems.raise(record);
    return derived.complete(
        record, new HeaderEvent(headers, record.key(), record.value(), null, null));
  }

  private static byte @Nullable [] contentType(Header[] headers) {
    for (int i = headers.length - 1; i >= 0; i--) {
      if (headers[i].key().equals(EventHeaders.CONTENT_TYPE)) {
        byte[] value = headers[i].value();
        if (value != null) {
          return value;
        }
      }
    }
    return null;
  }

  /** Configures a reader. */
  public static final class Builder implements EventReader.Builder {
    private @Nullable JsonPointer version;
    private @Nullable JsonPointer occurredAt;

    @Override
    public Builder versionFrom(String jsonPointer) {
      version = pointer("versionFrom", jsonPointer);
      return this;
    }

    @Override
    public Builder occurredAtFrom(String jsonPointer) {
      occurredAt = pointer("occurredAtFrom", jsonPointer);
      return this;
    }

    @Override
    public EventReader build() {
      return new StandardReader(new DerivedValues(version, occurredAt));
    }

    private static JsonPointer pointer(String setting, String text) {
      if (!text.startsWith("/")) {
        throw new IllegalArgumentException(
            setting
                + " is no JSON Pointer (RFC 6901) to a member: "
                + text
                + " (such as /version)");
      }
      return JsonPointer.compile(text);
    }
  }
}
