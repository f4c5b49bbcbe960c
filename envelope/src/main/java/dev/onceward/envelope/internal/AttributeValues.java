package dev.onceward.envelope.internal;

import java.net.URI;
import java.time.OffsetDateTime;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Brings the values of the CloudEvents type system to what an event holds. */
final class AttributeValues {

  private AttributeValues() {}

  /** A String, Boolean or Integer; null when the value is of no CloudEvents type. */
  static @Nullable Object canonical(Object value) {
    if (value instanceof String || value instanceof Boolean || value instanceof Integer) {
      return value;
    }
    if (value instanceof Short || value instanceof Byte) {
      return ((Number) value).intValue();
    }
    if (value instanceof Long number) {
      return number == number.intValue() ? (Object) number.intValue() : number.toString();
    }
    if (value instanceof URI uri) {
      return uri.toString();
    }
    if (value instanceof OffsetDateTime time) {
      return Rfc3339.isWritable(time) ? Rfc3339.format(time) : null;
    }
    return value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : null;
  }

  /** What the CloudEvents type String forbids in a text, or null when it is legal. */
  static @Nullable String flaw(String text) {
    if (!Utf8.isEncodable(text)) {
      return "has half of a surrogate pair, which UTF-8 cannot express";
    }
    boolean forbidden =
        text.codePoints()
            .anyMatch(
                c -> Character.isISOControl(c) || (c & 0xFFFE) == 0xFFFE || isNonCharacter(c));
    return forbidden ? "has a control character or a Unicode noncharacter" : null;
  }

  private static boolean isNonCharacter(int codePoint) {
    return codePoint >= 0xFDD0 && codePoint <= 0xFDEF;
  }
}
