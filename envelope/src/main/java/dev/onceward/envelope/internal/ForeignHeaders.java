package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventHeaders;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.header.Header;

/** Which headers of a record are not what the writer writes itself. */
final class ForeignHeaders {

  private ForeignHeaders() {}

  /**
   * All headers but those of the attributes the event has, its content type, and its event id. A
   * null or undecodable header of an attribute that has no other value stays, so that nothing is
   * lost.
   */
  static List<Header> of(Header[] headers, Set<String> attributes, String id) {
    boolean ownEventId = isOwnEventId(headers, id);
    List<Header> foreign = new ArrayList<>();
    for (Header header : headers) {
      String name = header.key();
      boolean written;
      if (name.equals(EventHeaders.EVENT_ID)) {
        written = ownEventId;
      } else if (name.equals(EventHeaders.CONTENT_TYPE)) {
        written = attributes.contains(Attributes.DATACONTENTTYPE);
      } else {
        written =
            Attributes.isAttributeHeader(name) && attributes.contains(Attributes.ofHeader(name));
      }
      if (!written) {
        foreign.add(header);
      }
    }
    return Collections.unmodifiableList(foreign);
  }

  /** Whether the foreign headers hold an event id of someone else's making. */
  static boolean hasEventId(List<Header> foreign) {
    for (Header header : foreign) {
      if (header.key().equals(EventHeaders.EVENT_ID)) {
        return true;
      }
    }
    return false;
  }

  /** The last event id with a value decides; without a value there is nothing to keep. */
  private static boolean isOwnEventId(Header[] headers, String id) {
    for (int i = headers.length - 1; i >= 0; i--) {
      byte[] value = headers[i].value();
      if (value != null && headers[i].key().equals(EventHeaders.EVENT_ID)) {
        return id.equals(Utf8.decode(value));
      }
    }
    return true;
  }
}
