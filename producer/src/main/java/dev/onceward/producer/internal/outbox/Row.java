package dev.onceward.producer.internal.outbox;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** A row of the outbox in memory. Its state belongs to the drain. */
final class Row {

  /** Where a row is on its way. */
  enum State {
    /** In its key's line, not sent. */
    WAITING,
    /** Handed to the producer, no answer yet. */
    SENDING,
    /** Failed in a way that passes; sent again when its time has come. */
    RETRYING,
    /** Acknowledged by the brokers, or to be moved to the dead: only the database has to follow. */
    LEAVING,
    /** Not ours any more. */
    GONE
  }

  final int bucket;
  final long seq;
  final String id;
  final String topic;
  final @Nullable RowKey key;
  final int size;

  /** What is sent; null when the row cannot be read. */
  final @Nullable ProducerRecord<byte[], byte[]> message;

  State state = State.WAITING;
  int attempts;

  /** When it was first sent, by {@link System#nanoTime}; meaningless before. */
  long sentAt;

  /** Whether it gets no further for now: see {@link Shards#hold}. */
  boolean held;

  /** The shard as it was when the row was read; its epoch is what deleting it depends on. */
  @Nullable ShardState home;

  Row(
      int bucket,
      long seq,
      String id,
      String topic,
      byte @Nullable [] key,
      int size,
      @Nullable ProducerRecord<byte[], byte[]> message) {
    this.bucket = bucket;
    this.seq = seq;
    this.id = id;
    this.topic = topic;
    this.key = key == null ? null : new RowKey(topic, key);
    this.size = size;
    this.message = message;
  }
}
