package dev.onceward.envelope.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Reads one structured-mode record (CloudEvents JSON format 1.0.2). Data and unknown members are
 * kept as slices of the original text: no number, order or spelling changes on the way through. Of
 * a repeated member the last one counts.
 */
final class StructuredReader {
  private static final String DATA = "data";
  private static final String DATA_BASE64 = "data_base64";

  private final ConsumerRecord<byte[], byte[]> record;
  private final Header[] headers;
  private final Problems problems = new Problems();
  private final Map<String, Object> attributes = new LinkedHashMap<>();
  private final Map<String, String> unknown = new LinkedHashMap<>();
  private byte @Nullable [] dataJson;
  private @Nullable String dataText;
  private @Nullable String dataBase64;
  private byte @Nullable [] payload;
  private DataForm dataForm = DataForm.AUTO;

  StructuredReader(ConsumerRecord<byte[], byte[]> record, Header[] headers) {
    this.record = record;
    this.headers = headers;
  }

  AttributeEvent read(String contentType) {
    byte[] value = record.value();
    if (value == null) {
      throw Problems.failure(
          record, "a structured-mode record has its event in the value, but the value is null");
    }
    Charset charset = MediaTypes.charset(contentType);
    if (!StandardCharsets.UTF_8.equals(charset) && !StandardCharsets.US_ASCII.equals(charset)) {
      throw Problems.failure(record, "its JSON is not in UTF-8, which RFC 8259 requires");
    }
    try (JsonParser parser = Json.FACTORY.createParser(value)) {
      members(parser, value);
    } catch (IOException notJson) {
      throw Problems.failure(record, "the value is " + Json.describe(notJson));
    }
    new StructuredCheck(attributes, unknown, problems).run();
    data();
    problems.raise(record);
    return new AttributeEvent(attributes, payload, dataForm, carried());
  }

  private void members(JsonParser parser, byte[] value) throws IOException {
    JsonToken first = parser.nextToken();
    if (first != JsonToken.START_OBJECT) {
      throw Problems.failure(
          record,
          first == JsonToken.START_ARRAY
              ? "the value is a JSON array (the Kafka binding has no batches: one event a record)"
              : "the value is no JSON object");
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      member(parser, value, name);
    }
    if (parser.nextToken() != null) {
      throw Problems.failure(record, "the value has more after the JSON object");
    }
  }

  private void member(JsonParser parser, byte[] value, String name) throws IOException {
    long start = parser.currentTokenLocation().getByteOffset();
    JsonToken token = parser.currentToken();
    String text = token == JsonToken.VALUE_STRING ? parser.getText() : null;
    Object scalar = text != null ? text : scalar(parser, token);
    parser.skipChildren();
    long end = parser.currentLocation().getByteOffset();
    if (start < 0) {
      throw Problems.failure(record, "its JSON is not in UTF-8, which RFC 8259 requires");
    }
    byte[] json = Arrays.copyOfRange(value, (int) start, (int) end);
    boolean encodable = text == null || Utf8.isEncodable(text);
    if (name.equals(DATA)) {
      dataJson = json;
      dataText = encodable ? text : null;
    } else if (name.equals(DATA_BASE64) && token != JsonToken.VALUE_NULL) {
      dataBase64 = text;
      if (text == null) {
        problems.add("data_base64 is no JSON string");
      }
    } else if (scalar != null && encodable && Attributes.isLegalName(name)) {
      attributes.put(name, scalar);
      unknown.remove(name);
    } else {
      attributes.remove(name);
      keep(name, json);
    }
  }

  private void keep(String name, byte[] json) {
    String text = Utf8.decode(json);
    if (text == null || !Utf8.isEncodable(name)) {
      problems.add("a member is not UTF-8 text: encode it as UTF-8");
    } else {
      unknown.put(name, text);
    }
  }

  /** A value of the CloudEvents type system; null for every other. */
  private static @Nullable Object scalar(JsonParser parser, JsonToken token) throws IOException {
    return switch (token) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NUMBER_INT ->
          switch (parser.getNumberType()) {
            case INT -> parser.getIntValue();
            case LONG -> parser.getLongValue();
            default -> null;
          };
      default -> null;
    };
  }

  private void data() {
    byte[] json = dataJson;
    if (dataBase64 != null) {
      if (json != null && !"null".equals(Utf8.decode(json))) {
        problems.add("it has both data and data_base64: keep the one that is meant");
      } else if (json != null) {
        unknown.put(DATA, "null");
      }
      try {
        payload = Base64.getDecoder().decode(dataBase64);
        dataForm = DataForm.BASE64;
      } catch (IllegalArgumentException notBase64) {
        problems.add("data_base64 is no base64 (RFC 4648, section 4)");
      }
    } else if (json != null) {
      Object contentType = attributes.get(Attributes.DATACONTENTTYPE);
      boolean isJson = contentType == null || MediaTypes.isJson(contentType.toString());
      String text = dataText;
      payload = isJson || text == null ? json : Utf8.encode(text);
      dataForm = isJson || text == null ? DataForm.JSON : DataForm.TEXT;
    }
  }

  private Carried carried() {
    Set<String> mirrored = new LinkedHashSet<>();
    for (Header header : headers) {
      if (header.value() != null && Attributes.isAttributeHeader(header.key())) {
        mirrored.add(Attributes.ofHeader(header.key()));
      }
    }
    mirrored.retainAll(attributes.keySet());
    // The content-type header speaks of the record, so the writer writes it anew in any case.
    Set<String> written = new LinkedHashSet<>(attributes.keySet());
    written.add(Attributes.DATACONTENTTYPE);
    String id = String.valueOf(attributes.get(Attributes.ID));
    return new Carried(
        new Carried.RecordKey(record.key()),
        ForeignHeaders.of(headers, written, id),
        Collections.unmodifiableSet(mirrored),
        Collections.unmodifiableMap(unknown),
        null,
        null);
  }
}
