package dev.onceward.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Records as a consumer sees them. */
final class Records {
  private final List<Header> headers = new ArrayList<>();
  private byte @Nullable [] key;
  private byte @Nullable [] value;

  private Records() {}

  static Records record() {
    return new Records();
  }

  /** The required attributes. */
  static Records event() {
    return record()
        .header("ce_specversion", "1.0")
        .header("ce_id", "1")
        .header("ce_source", "/orders")
        .header("ce_type", "com.acme.orders.placed.v1");
  }

  static Records structured(String json) {
    return record().header("content-type", "application/cloudevents+json").value(json);
  }

  Records header(String name, String text) {
    return header(name, text.getBytes(UTF_8));
  }

  Records header(String name, byte @Nullable [] bytes) {
    headers.add(new RecordHeader(name, bytes));
    return this;
  }

  Records nullHeader(String name) {
    return header(name, (byte[]) null);
  }

  Records without(String name) {
    headers.removeIf(header -> header.key().equals(name));
    return this;
  }

  Records key(String text) {
    key = text.getBytes(UTF_8);
    return this;
  }

  Records key(byte @Nullable [] bytes) {
    key = bytes;
    return this;
  }

  Records value(String text) {
    return value(text.getBytes(UTF_8));
  }

  Records value(byte @Nullable [] bytes) {
    value = bytes;
    return this;
  }

  ConsumerRecord<byte[], byte[]> build() {
    return consumed(key, value, new RecordHeaders(headers));
  }

  Event read() {
    return EventReader.standard().read(build());
  }

  static ConsumerRecord<byte[], byte[]> consumed(ProducerRecord<byte[], byte[]> sent) {
    return consumed(sent.key(), sent.value(), new RecordHeaders(sent.headers()));
  }

  private static ConsumerRecord<byte[], byte[]> consumed(
      byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
    return new ConsumerRecord<>(
        "orders",
        3,
        42,
        1L,
        TimestampType.CREATE_TIME,
        0,
        0,
        key,
        value,
        headers,
        Optional.empty());
  }

  /** Headers as text, in their order. */
  static List<String> lines(Iterable<Header> headers) {
    List<String> lines = new ArrayList<>();
    for (Header header : headers) {
      lines.add(
          header.key() + "=" + (header.value() == null ? "null" : Arrays.toString(header.value())));
    }
    return lines;
  }

  static @Nullable String text(ProducerRecord<byte[], byte[]> record, String header) {
    Header last = record.headers().lastHeader(header);
    return last == null || last.value() == null ? null : new String(last.value(), UTF_8);
  }

  static int count(ProducerRecord<byte[], byte[]> record, String header) {
    int count = 0;
    for (Header ignored : record.headers().headers(header)) {
      count++;
    }
    return count;
  }
}
