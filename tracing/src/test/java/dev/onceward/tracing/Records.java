package dev.onceward.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Kafka records for tests. */
final class Records {

  static final String TOPIC = "orders.order.events";
  static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  static final String SPAN = "00f067aa0ba902b7";
  static final String TRACEPARENT = "00-" + TRACE + "-" + SPAN + "-01";
  static final String ORIGIN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private Records() {}

  static ProducerRecord<byte[], byte[]> outgoing(String... headers) {
    return new ProducerRecord<>(
        TOPIC, null, "order-1".getBytes(UTF_8), "{}".getBytes(UTF_8), headers(headers));
  }

  static ConsumerRecord<byte[], byte[]> incoming(String... headers) {
    return incoming(headers(headers));
  }

  static ConsumerRecord<byte[], byte[]> incoming(Headers headers) {
    return incoming(headers, "{}".getBytes(UTF_8));
  }

  static ConsumerRecord<byte[], byte[]> incoming(Headers headers, byte[] value) {
    return new ConsumerRecord<>(
        TOPIC,
        3,
        42L,
        1_700_000_000_000L,
        TimestampType.CREATE_TIME,
        7,
        2,
        "order-1".getBytes(UTF_8),
        value,
        headers,
        Optional.empty());
  }

  /** Headers from key, value, key, value. */
  static Headers headers(String... keysAndValues) {
    Headers headers = new RecordHeaders();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      headers.add(keysAndValues[i], keysAndValues[i + 1].getBytes(UTF_8));
    }
    return headers;
  }

  /** The values of all headers with this key. */
  static List<String> values(Headers headers, String key) {
    List<String> values = new ArrayList<>();
    for (Header header : headers.headers(key)) {
      values.add(new String(header.value(), UTF_8));
    }
    return values;
  }

  static @Nullable String value(Headers headers, String key) {
    List<String> values = values(headers, key);
    return values.isEmpty() ? null : values.get(values.size() - 1);
  }
}
