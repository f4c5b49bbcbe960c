package dev.onceward.envelope.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Streaming JSON, for the parts that must stay as they are. */
final class Json {
  /** Foreign names are not interned: they would stay in memory for good. */
  static final JsonFactory FACTORY =
      new JsonFactoryBuilder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

  private Json() {}

  /** Whether it is one JSON value and nothing else. */
  static boolean isValid(String text) {
    if (text.startsWith("\uFEFF")) {
      return false;
    }
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      parser.finishToken();
      return parser.nextToken() == null;
    } catch (IOException notJson) {
      return false;
    }
  }

  /**
   * The text of a JSON string; null when the JSON is another value, or its text is not encodable.
   */
  static @Nullable String stringValue(String json) {
    if (!json.startsWith("\"")) {
      return null;
    }
    try (JsonParser parser = FACTORY.createParser(json)) {
      String text = parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : null;
      return text == null || !Utf8.isEncodable(text) ? null : text;
    } catch (IOException notJson) {
      return null;
    }
  }

  /** Where it went wrong; Jackson's own message would quote the content. */
  static String describe(IOException error) {
    JsonLocation at = error instanceof JacksonException json ? json.getLocation() : null;
    return at == null
        ? "not readable JSON"
        : "not readable JSON at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
  }
}
