package dev.onceward.testkit;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends events and records just as they are: twice, out of order, broken. It adds no ids, no trace
 * context and no checks. Thread-safe.
 */
public final class RawPublisher implements AutoCloseable {
  private final Producer<byte[], byte[]> producer;

  private RawPublisher(Producer<byte[], byte[]> producer) {
    this.producer = producer;
  }

  /** A publisher to this broker. */
  public static RawPublisher on(KafkaServer kafka) {
    return on(kafka.clientProperties());
  }

  /** A publisher with these client properties. */
  public static RawPublisher on(Map<String, Object> clientProperties) {
    return new RawPublisher(
        new KafkaProducer<>(
            clientProperties, new ByteArraySerializer(), new ByteArraySerializer()));
  }

  /**
   * Sends an event in binary mode and waits until the broker has it.
   *
   * @throws TestkitException when the broker does not take it
   */
  public RecordMetadata publish(String topic, Event event) {
    return publish(topic, List.of(event)).get(0);
  }

  /**
   * Sends events in the given order, in binary mode, and waits until the broker has them.
   *
   * @throws TestkitException when the broker does not take one
   */
  public List<RecordMetadata> publish(String topic, List<Event> events) {
    return sendAll(events.stream().map(event -> EventWriter.binary().write(topic, event)).toList());
  }

  /**
   * Sends a record and waits until the broker has it.
   *
   * @throws TestkitException when the broker does not take it
   */
  public RecordMetadata send(ProducerRecord<byte[], byte[]> record) {
    return sendAll(List.of(record)).get(0);
  }

  /** Sends records in the given order and waits until the broker has them. */
  public List<RecordMetadata> sendAll(List<ProducerRecord<byte[], byte[]>> records) {
    List<Future<RecordMetadata>> pending = new ArrayList<>();
    List<RecordMetadata> sent = new ArrayList<>();
    try {
      for (ProducerRecord<byte[], byte[]> record : records) {
        pending.add(producer.send(record));
      }
      for (Future<RecordMetadata> one : pending) {
        sent.add(one.get());
      }
      return sent;
    } catch (ExecutionException | KafkaException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      throw new TestkitException(
          "record %d of %d was not taken by topic '%s': %s"
              .formatted(sent.size() + 1, records.size(), records.get(sent.size()).topic(), cause),
          cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while sending", e);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
