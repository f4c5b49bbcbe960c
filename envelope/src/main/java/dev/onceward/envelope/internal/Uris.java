package dev.onceward.envelope.internal;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** URI references that are there even when the text is no legal one. */
final class Uris {
  private static final String UNRESERVED = "-._~";
  private static final String RESERVED = ":/?#@!$&'()*+,;=";

  private Uris() {}

  static @Nullable URI parse(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException notLegal) {
      return null;
    }
  }

  /**
   * The URI of a text: as it is, or else with the illegal characters percent-encoded, or else with
   * everything encoded but letters and digits. The same text always gives the same URI.
   */
  static URI tolerant(String text) {
    URI legal = parse(text);
    if (legal != null) {
      return legal;
    }
    URI quoted = parse(encode(text, RESERVED));
    return quoted != null ? quoted : URI.create(encode(text, ""));
  }

  private static String encode(String text, String keep) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      if (isAlphanumeric(c) || UNRESERVED.indexOf(c) >= 0 || keep.indexOf(c) >= 0) {
        out.append(c);
      } else {
        out.append(String.format(Locale.ROOT, "%%%02X", (int) c));
      }
    }
    return out.toString();
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
