package dev.onceward.envelope;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads events from Kafka records, binary and structured mode. */
public interface EventReader {
  Event read(ConsumerRecord<byte[], byte[]> record) throws EventFormatException;
}
