package dev.onceward.producer.internal.outbox;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * How large a record is at most, alone in its batch and uncompressed: what the producer compares
 * with {@code max.request.size}.
 */
final class WireSize {
  /** The head of a batch of record format 2. */
  private static final int BATCH = 61;

  /** The numbers at the head of a record, each as long as it can be. */
  private static final int RECORD = 21;

  /** A number of variable length, as long as it can be. */
  private static final int NUMBER = 5;

  private WireSize() {}

  static long of(ProducerRecord<byte[], byte[]> record) {
    long size = BATCH + RECORD + field(record.key()) + field(record.value()) + NUMBER;
    for (Header header : record.headers()) {
      size += NUMBER + Utils.utf8Length(header.key()) + field(header.value());
    }
    return size;
  }

  private static long field(byte @Nullable [] value) {
    return NUMBER + (value == null ? 0L : value.length);
  }
}
