package dev.onceward.consumer.internal.failure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Makes dead letters: the original key, value, headers and timestamp, and bounded headers that say
 * what went wrong. Headers of an earlier dead letter are replaced, so that hops do not pile up.
 */
final class DeadLetterRecords {

  private DeadLetterRecords() {}

  /**
   * The dead letter of a failed delivery.
   *
   * @param partition the partition to write to, or null to let the key decide
   */
  static ProducerRecord<byte[], byte[]> of(
      FailedDelivery failed, @Nullable String handler, String topic, @Nullable Integer partition) {
    ConsumerRecord<byte[], byte[]> record = failed.delivery().record();
    List<Header> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      if (!DeadLetterHeaders.isOurs(header.key())) {
        headers.add(header);
      }
    }
    headers.addAll(added(failed, handler));
    return new ProducerRecord<>(
        topic, partition, timestamp(failed), record.key(), record.value(), headers);
  }

  /** The original one, but none that the broker would refuse because its own clock is behind it. */
  private static @Nullable Long timestamp(FailedDelivery failed) {
    long original = failed.delivery().record().timestamp();
    return original < 0 || original > failed.lastFailure().toEpochMilli() ? null : original;
  }

  private static List<Header> added(FailedDelivery failed, @Nullable String handler) {
    ConsumerRecord<byte[], byte[]> record = failed.delivery().record();
    Throwable error = failed.error();
    Budget headers = new Budget();
    headers.add(DeadLetterHeaders.TOPIC, record.topic());
    headers.add(DeadLetterHeaders.PARTITION, Integer.toString(record.partition()));
    headers.add(DeadLetterHeaders.OFFSET, Long.toString(record.offset()));
    if (record.timestamp() >= 0) {
      headers.add(DeadLetterHeaders.TIMESTAMP, Long.toString(record.timestamp()));
    }
    headers.add(DeadLetterHeaders.GROUP, failed.delivery().group());
    headers.add(DeadLetterHeaders.DELIVERY_COUNT, Integer.toString(failed.delivery().attempt()));
    headers.add(DeadLetterHeaders.REASON, failed.reason().name());
    headers.add(DeadLetterHeaders.FINGERPRINT, ErrorText.fingerprint(error));
    headers.add(DeadLetterHeaders.FIRST_FAILURE, failed.firstFailure().toString());
    headers.add(DeadLetterHeaders.LAST_FAILURE, failed.lastFailure().toString());
    if (handler != null) {
      headers.add(DeadLetterHeaders.HANDLER, handler);
    }
    headers.add(DeadLetterHeaders.EXCEPTION, error.getClass().getName());
    headers.add(
        DeadLetterHeaders.MESSAGE,
        ErrorText.utf8(ErrorText.message(error), DeadLetterHeaders.MAX_MESSAGE_BYTES));
    headers.add(
        DeadLetterHeaders.STACKTRACE,
        ErrorText.utf8(ErrorText.stack(error), DeadLetterHeaders.MAX_STACK_BYTES));
    return headers.headers;
  }

  /** Takes headers as long as there is room; what comes first is worth most. */
  private static final class Budget {
    private final List<Header> headers = new ArrayList<>();
    private int left = DeadLetterHeaders.MAX_ADDED_BYTES;

    void add(String name, String value) {
      add(name, ErrorText.utf8(value, DeadLetterHeaders.MAX_MESSAGE_BYTES));
    }

    void add(String name, byte[] value) {
      int size = name.getBytes(UTF_8).length + value.length;
      if (size <= left) {
        left -= size;
        headers.add(new RecordHeader(name, value));
      }
    }
  }
}
