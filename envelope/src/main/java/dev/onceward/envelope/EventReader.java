package dev.onceward.envelope;

import dev.onceward.envelope.internal.StandardReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads events from Kafka records, in binary and structured mode of the CloudEvents Kafka protocol
 * binding 1.0.2. Implementations are thread-safe.
 *
 * <p>The standard reader is tolerant and lossless: headers in any order, duplicates (the last one
 * with a value wins), null values, illegal {@code ce_} names, unknown attributes and unknown JSON
 * members are all taken, and written again by an {@link EventWriter}. It refuses a record
 *
 * <ul>
 *   <li>without a required attribute ({@code specversion}, which must be 1.0, {@code id}, {@code
 *       source}, {@code type}) or with a blank one;
 *   <li>with a malformed typed attribute ({@code time}, {@code occurredat}, {@code expirytime}: RFC
 *       3339; {@code entityversion}: decimal, zero or more), so that it is not half understood;
 *   <li>with a subject, entity key, correlation or causation id that is no UTF-8 text;
 *   <li>in structured mode, when the value is no JSON object, or has both {@code data} and {@code
 *       data_base64};
 *   <li>whose content type is another {@code application/cloudevents} format (Avro, Protobuf, a
 *       batch), unless it has the {@code ce_} headers: then the value is opaque data.
 * </ul>
 */
public interface EventReader {

  /** The standard reader, with no mapping of data members. */
  static EventReader standard() {
    return builder().build();
  }

  /** Configures a reader. */
  static Builder builder() {
    return new StandardReader.Builder();
  }

  /**
   * Reads the event. Binary mode copies no data: the event shares the arrays of the record. A null
   * value is an event without data.
   *
   * @throws EventFormatException when the record is not an event, naming everything that is wrong
   */
  Event read(ConsumerRecord<byte[], byte[]> record) throws EventFormatException;

  /** Configures a reader. Not thread-safe. */
  interface Builder {

    /**
     * Where in JSON data the entity version is, as a JSON Pointer (RFC 6901) such as {@code
     * /version}. Consulted only when the event has no {@code entityversion} attribute and its data
     * is JSON. The value is an integer or a decimal text; absent and null mean that there is none.
     * It is not added to the event as an attribute.
     *
     * @throws IllegalArgumentException when it is no JSON Pointer
     */
    Builder versionFrom(String jsonPointer);

    /**
     * Where in JSON data the time of the fact is (RFC 3339 text), as a JSON Pointer. Consulted only
     * when the event has no {@code occurredat} attribute; otherwise as {@link #versionFrom}.
     *
     * @throws IllegalArgumentException when it is no JSON Pointer
     */
    Builder occurredAtFrom(String jsonPointer);

    /** The reader. */
    EventReader build();
  }
}
