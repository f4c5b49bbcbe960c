package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventHeaders;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Collects the headers of a record that is written: the event's own once each, then the foreign.
 */
final class RecordHeadersWriter {
  private final WireEvent event;
  private final List<Header> headers = new ArrayList<>(24);
  private boolean hasContentType;

  RecordHeadersWriter(WireEvent event) {
    this.event = event;
  }

  /** From here on a foreign record's content-type without a value would hide this one. */
  void contentType(String value) {
    hasContentType = true;
    add(EventHeaders.CONTENT_TYPE, value);
  }

  void add(String name, String value) {
    headers.add(new RecordHeader(name, Utf8.encode(value)));
  }

  void addNull(String name) {
    headers.add(new RecordHeader(name, (byte[]) null));
  }

  void attribute(String name) {
    add(Attributes.header(name), String.valueOf(event.attribute(name)));
  }

  List<Header> withForeign() {
    List<Header> foreign = event.foreignHeaders();
    if (!ForeignHeaders.hasEventId(foreign)) {
      add(EventHeaders.EVENT_ID, event.getId());
    }
    for (Header header : foreign) {
      if (!isSetSinceRead(header.key())) {
        headers.add(header);
      }
    }
    return headers;
  }

  /** A copy of an event may have got an attribute that the original had only a null header for. */
  private boolean isSetSinceRead(String name) {
    return Attributes.isAttributeHeader(name)
        ? event.attributeNames().contains(Attributes.ofHeader(name))
        : name.equals(EventHeaders.CONTENT_TYPE) && hasContentType;
  }
}
