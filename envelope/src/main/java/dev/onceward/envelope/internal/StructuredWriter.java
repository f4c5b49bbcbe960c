package dev.onceward.envelope.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Writes structured mode. */
public final class StructuredWriter implements EventWriter {
  public static final StructuredWriter INSTANCE = new StructuredWriter();

  private StructuredWriter() {}

  @Override
  public ProducerRecord<byte[], byte[]> write(
      String topic, @Nullable Integer partition, @Nullable Long timestamp, Event event) {
    WireEvent wire = WireEvent.of(event);
    RecordHeadersWriter headers = new RecordHeadersWriter(wire);
    headers.contentType(MediaTypes.CLOUDEVENTS_JSON);
    for (String name : wire.carried().mirrored()) {
      if (wire.attribute(name) != null) {
        headers.attribute(name);
      }
    }
    return new ProducerRecord<>(
        topic, partition, timestamp, wire.recordKey(), json(wire), headers.withForeign());
  }

  private static byte[] json(WireEvent event) {
    byte[] payload = event.payload();
    ByteArrayOutputStream out =
        new ByteArrayOutputStream(512 + (payload == null ? 0 : payload.length));
    try (JsonGenerator json = Json.FACTORY.createGenerator(out)) {
      json.writeStartObject();
      Set<String> written = new HashSet<>();
      for (String name : event.attributeNames()) {
        written.add(name);
        json.writeFieldName(name);
        scalar(json, event.attribute(name));
      }
      if (payload != null) {
        written.add(data(json, payload, event));
      }
      for (Map.Entry<String, String> member : event.carried().unknownMembers().entrySet()) {
        if (written.add(member.getKey())) {
          json.writeFieldName(member.getKey());
          json.writeRawValue(member.getValue());
        }
      }
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException("An array can always be written to", impossible);
    }
    return out.toByteArray();
  }

  private static void scalar(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else {
      json.writeString(String.valueOf(value));
    }
  }

  /** Returns the member it wrote. */
  private static String data(JsonGenerator json, byte[] payload, WireEvent event)
      throws IOException {
    DataForm form = event.dataForm();
    String text = form == DataForm.BASE64 ? null : Utf8.decode(payload);
    if (text != null && form == DataForm.AUTO) {
      form = formOf(text, event.getDataContentType());
    }
    if (text == null || form == DataForm.BASE64) {
      json.writeStringField("data_base64", Base64.getEncoder().encodeToString(payload));
      return "data_base64";
    }
    json.writeFieldName("data");
    if (form == DataForm.JSON) {
      json.writeRawValue(text);
    } else {
      json.writeString(text);
    }
    return "data";
  }

  private static DataForm formOf(String text, @Nullable String contentType) {
    if (contentType == null) {
      // nobody says that it is JSON: space around it, which no JSON value keeps, may mean something
      return text.equals(text.strip()) && Json.isValid(text) ? DataForm.JSON : DataForm.BASE64;
    }
    if (MediaTypes.isJson(contentType)) {
      return Json.isValid(text) ? DataForm.JSON : DataForm.BASE64;
    }
    return MediaTypes.isText(contentType)
            && StandardCharsets.UTF_8.equals(MediaTypes.charset(contentType))
        ? DataForm.TEXT
        : DataForm.BASE64;
  }
}
