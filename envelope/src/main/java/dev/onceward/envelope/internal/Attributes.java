package dev.onceward.envelope.internal;

import dev.onceward.envelope.EventHeaders;
import java.util.Set;

/** The names of CloudEvents attributes and the form of their header names. */
final class Attributes {
  static final String SPECVERSION = "specversion";
  static final String ID = "id";
  static final String SOURCE = "source";
  static final String TYPE = "type";
  static final String SUBJECT = "subject";
  static final String TIME = "time";
  static final String DATACONTENTTYPE = "datacontenttype";
  static final String DATASCHEMA = "dataschema";
  static final String PARTITIONKEY = "partitionkey";
  static final String ENTITYVERSION = "entityversion";
  static final String OCCURREDAT = "occurredat";
  static final String EXPIRYTIME = "expirytime";
  static final String CORRELATIONID = "correlationid";
  static final String CAUSATIONID = "causationid";
  static final String TRACEPARENT = "traceparent";

  /** The attributes the specification defines; all others are extensions. */
  static final Set<String> CORE =
      Set.of(SPECVERSION, ID, SOURCE, TYPE, SUBJECT, TIME, DATACONTENTTYPE, DATASCHEMA);

  static final Set<String> REQUIRED = Set.of(SPECVERSION, ID, SOURCE, TYPE);

  private static final int PREFIX = EventHeaders.PREFIX.length();

  private Attributes() {}

  /** Whether it may name an attribute: lower-case ASCII letters and digits, and not "data". */
  static boolean isLegalName(String name) {
    return isLegalName(name, 0);
  }

  /**
   * Whether a header may carry an attribute in binary mode. {@code ce_datacontenttype} may not: the
   * binding maps that attribute to {@code content-type}.
   */
  static boolean isAttributeHeader(String header) {
    return header.startsWith(EventHeaders.PREFIX)
        && isLegalName(header, PREFIX)
        && !isHeaderOf(header, DATACONTENTTYPE);
  }

  static String ofHeader(String header) {
    return header.substring(PREFIX);
  }

  static String header(String attribute) {
    return EventHeaders.PREFIX + attribute;
  }

  /**
   * Whether {@code header} is {@code ce_} and then {@code attribute}, without building a string.
   */
  static boolean isHeaderOf(String header, String attribute) {
    return header.length() == PREFIX + attribute.length()
        && header.startsWith(EventHeaders.PREFIX)
        && header.startsWith(attribute, PREFIX);
  }

  private static boolean isLegalName(String text, int from) {
    int length = text.length();
    if (from == length) {
      return false;
    }
    for (int i = from; i < length; i++) {
      char c = text.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
        return false;
      }
    }
    return length - from != 4 || !text.startsWith("data", from);
  }
}
