package dev.onceward.producer;

/**
 * How an event is laid out in a record, by the CloudEvents Kafka protocol binding. Onceward reads
 * both.
 */
public enum ContentMode {
  /** Attributes in headers, the data as the value. */
  BINARY,

  /** The whole event as one JSON object in the value, for readers that see only values. */
  STRUCTURED
}
