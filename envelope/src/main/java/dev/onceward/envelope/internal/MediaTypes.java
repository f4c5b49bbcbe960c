package dev.onceward.envelope.internal;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a content type says about the bytes. Media types are compared without case (RFC 2045). */
public final class MediaTypes {
  static final String CLOUDEVENTS_JSON = "application/cloudevents+json";
  private static final String CLOUDEVENTS = "application/cloudevents";

  private MediaTypes() {}

  /** Whether it announces structured mode, in whatever format. */
  static boolean isCloudEvents(byte[] contentType) {
    int from = 0;
    while (from < contentType.length && contentType[from] == ' ') {
      from++;
    }
    if (contentType.length - from < CLOUDEVENTS.length()) {
      return false;
    }
    for (int i = 0; i < CLOUDEVENTS.length(); i++) {
      if (Character.toLowerCase((char) contentType[from + i]) != CLOUDEVENTS.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static boolean isCloudEventsJson(String contentType) {
    return essence(contentType).equals(CLOUDEVENTS_JSON);
  }

  /** JSON by its name or its structured suffix (RFC 6839). */
  public static boolean isJson(String contentType) {
    String essence = essence(contentType);
    return essence.endsWith("/json") || essence.endsWith("+json");
  }

  static boolean isText(String contentType) {
    return essence(contentType).startsWith("text/");
  }

  /** The charset parameter, UTF-8 when there is none, null when it is not known. */
  public static @Nullable Charset charset(@Nullable String contentType) {
    if (contentType == null) {
      return StandardCharsets.UTF_8;
    }
    int from = contentType.indexOf(';');
    while (from >= 0) {
      int end = contentType.indexOf(';', from + 1);
      String parameter = contentType.substring(from + 1, end < 0 ? contentType.length() : end);
      int equals = parameter.indexOf('=');
      if (equals >= 0 && parameter.substring(0, equals).strip().equalsIgnoreCase("charset")) {
        return charsetNamed(parameter.substring(equals + 1).strip().replace("\"", ""));
      }
      from = end;
    }
    return StandardCharsets.UTF_8;
  }

  private static @Nullable Charset charsetNamed(String name) {
    try {
      return Charset.forName(name);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
      return null;
    }
  }

  /** Type and subtype, lower-case, without parameters. */
  static String essence(String contentType) {
    int end = contentType.indexOf(';');
    return (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }
}
