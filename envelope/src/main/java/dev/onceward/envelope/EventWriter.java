package dev.onceward.envelope;

import dev.onceward.envelope.internal.BinaryWriter;
import dev.onceward.envelope.internal.StructuredWriter;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes events as Kafka records. Implementations are thread-safe.
 *
 * <p>The record key is the {@link Event#entityKey() entity key} in UTF-8, or null when there is
 * none; an event that was read keeps the key bytes it came with. Attributes and {@code event-id}
 * (equal to the id) are written once each; foreign headers follow in their order, with duplicates
 * and null values. A foreign record's own {@code event-id}, when it differs from its id, is left as
 * it is. So reading and writing any number of times changes nothing. Arrays of the event are not
 * copied.
 *
 * <p>{@code traceparent}, {@code tracestate} and {@code baggage} belong to a hop: the sender must
 * replace what is written here.
 */
public interface EventWriter {

  /**
   * Binary mode: attributes in {@code ce_} headers, the data as the value. An event without data
   * becomes a record without value, which a compacted topic takes as the deletion of its key.
   *
   * <p>JSON members that structured mode carried and that are no attributes (nested values, nulls,
   * illegal names) become {@code ce_} headers holding their JSON text (a null becomes a null
   * value): their content survives, their JSON type does not.
   */
  static EventWriter binary() {
    return BinaryWriter.INSTANCE;
  }

  /**
   * Structured mode: content type {@code application/cloudevents+json}, and a JSON object
   * (CloudEvents JSON format 1.0.2) as the value. JSON data is embedded as it is, text as a string,
   * all else base64. Unknown members are written as they were read.
   */
  static EventWriter structured() {
    return StructuredWriter.INSTANCE;
  }

  /**
   * Writes {@code event}. Partition and timestamp stay open: the producer chooses the partition by
   * the key and stamps the record when it sends (the event has times of its own).
   *
   * @throws IllegalArgumentException when the event cannot be expressed in this mode
   */
  default ProducerRecord<byte[], byte[]> write(String topic, Event event) {
    return write(topic, null, null, event);
  }

  /**
   * Like {@link #write(String, Event)}, for a given partition and timestamp (epoch milliseconds).
   */
  ProducerRecord<byte[], byte[]> write(
      String topic, @Nullable Integer partition, @Nullable Long timestamp, Event event);
}
