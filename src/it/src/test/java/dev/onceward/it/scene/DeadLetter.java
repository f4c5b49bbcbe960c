package dev.onceward.it.scene;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Reads the headers of dead letters. */
public final class DeadLetter {

  private DeadLetter() {}

  /** The only header of that name, as text. */
  public static String header(ConsumerRecord<byte[], byte[]> letter, String name) {
    List<String> values = headers(letter, name);
    if (values.size() != 1) {
      throw new AssertionError(values.size() + " headers " + name + " instead of one");
    }
    return values.get(0);
  }

  public static List<String> headers(ConsumerRecord<byte[], byte[]> letter, String name) {
    return StreamSupport.stream(letter.headers().headers(name).spliterator(), false)
        .map(header -> header.value() == null ? "null" : new String(header.value(), UTF_8))
        .toList();
  }

  /** The bytes that headers take whose names begin so. */
  public static int size(ConsumerRecord<byte[], byte[]> letter, String... prefixes) {
    int size = 0;
    for (Header header : letter.headers()) {
      for (String prefix : prefixes) {
        if (header.key().startsWith(prefix)) {
          size += header.key().getBytes(UTF_8).length;
          size += header.value() == null ? 0 : header.value().length;
        }
      }
    }
    return size;
  }
}
