package dev.onceward.envelope.internal;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventWriter;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Writes binary mode. */
public final class BinaryWriter implements EventWriter {
  public static final BinaryWriter INSTANCE = new BinaryWriter();

  private BinaryWriter() {}

  @Override
  public ProducerRecord<byte[], byte[]> write(
      String topic, @Nullable Integer partition, @Nullable Long timestamp, Event event) {
    WireEvent wire = WireEvent.of(event);
    String contentType = wire.getDataContentType();
    if (contentType != null && MediaTypes.isCloudEventsJson(contentType)) {
      throw new IllegalArgumentException(
          "Event %s (%s) carries %s as data, which binary mode cannot tell from a structured-mode"
                  .formatted(wire.getId(), wire.getType(), MediaTypes.CLOUDEVENTS_JSON)
              + " event: write it in structured mode");
    }
    RecordHeadersWriter headers = new RecordHeadersWriter(wire);
    for (String name : wire.attributeNames()) {
      if (!name.equals(Attributes.DATACONTENTTYPE)) {
        headers.attribute(name);
      }
    }
    if (contentType != null) {
      headers.contentType(contentType);
    }
    unknownMembers(wire, headers);
    return new ProducerRecord<>(
        topic, partition, timestamp, wire.recordKey(), wire.payload(), headers.withForeign());
  }

  private static void unknownMembers(WireEvent wire, RecordHeadersWriter headers) {
    for (Map.Entry<String, String> member : wire.carried().unknownMembers().entrySet()) {
      String name = member.getKey();
      String json = member.getValue();
      if (wire.attributeNames().contains(name)) {
        continue; // Set since it was read.
      }
      if (json.equals("null")) {
        headers.addNull(Attributes.header(name));
      } else {
        String text = Json.stringValue(json);
        headers.add(Attributes.header(name), text != null ? text : json);
      }
    }
  }
}
