package dev.onceward.envelope.internal;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Strict UTF-8: text that would not survive the way back to bytes is not text. */
public final class Utf8 {

  private Utf8() {}

  /** The text, or null when the bytes are no UTF-8. */
  public static @Nullable String decode(byte[] bytes) {
    if (isAscii(bytes)) {
      return new String(bytes, StandardCharsets.US_ASCII);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException notUtf8) {
      return null;
    }
  }

  static boolean isValid(byte[] bytes) {
    return isAscii(bytes) || decode(bytes) != null;
  }

  static byte[] encode(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether every surrogate is one of a pair, so that the text can be encoded without loss. */
  static boolean isEncodable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isLowSurrogate(c)
          || i + 1 == text.length()
          || !Character.isLowSurrogate(text.charAt(++i))) {
        return false;
      }
    }
    return true;
  }

  /** Empty or nothing but ASCII white space. */
  static boolean isBlank(byte[] bytes) {
    for (byte b : bytes) {
      if (b < 0 || b > ' ') {
        return false;
      }
    }
    return true;
  }

  private static boolean isAscii(byte[] bytes) {
    int seen = 0;
    for (byte b : bytes) {
      seen |= b;
    }
    return seen >= 0;
  }
}
