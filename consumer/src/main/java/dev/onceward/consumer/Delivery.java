package dev.onceward.consumer;

import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventFormatException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** One delivery of one event to a handler. Thread-safe, and immutable but for its lease. */
public interface Delivery {

  /**
   * The event.
   *
   * @throws EventFormatException if the record is no event that can be read; a handler never sees
   *     that, an {@link Interceptor} neither
   */
  Event event();

  /** 1 for the first try, 2 for the first retry, and so on; counted per (partition, offset). */
  int attempt();

  /** How long the handler may work on this try; a handler may also take it as a parameter. */
  Lease lease();

  /** The instant after which the event must not be started any more, if it has one. */
  Optional<Instant> deadline();

  /**
   * A key that stays the same over retries and redeliveries and differs between handler ids; pass
   * it to services that take an idempotency key. 32 hexadecimal digits.
   */
  String idempotencyKey();

  /**
   * The fence of the partition as this owner has taken it: a number that grows with each owner. A
   * resource that is not the inbox's database can keep it beside what is written and refuse writes
   * with a smaller one, as the inbox does; then an owner that has lost the partition without
   * knowing it changes nothing. Empty when the consumer has no inbox or does without fences.
   */
  OptionalLong fence();

  /** The consumer group that reads it. */
  String group();

  /** The topic it was read from. */
  String topic();

  /** The partition it was read from. */
  int partition();

  /** Its offset in the partition. */
  long offset();

  /** The record's timestamp. */
  Instant timestamp();

  /** The record as it was read; its arrays are shared, do not change them. */
  ConsumerRecord<byte[], byte[]> record();
}
