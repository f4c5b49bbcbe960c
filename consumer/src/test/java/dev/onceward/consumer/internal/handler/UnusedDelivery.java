package dev.onceward.consumer.internal.handler;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Lease;
import dev.onceward.envelope.Event;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A delivery for handlers that must not look at it. */
final class UnusedDelivery implements Delivery {

  @Override
  public Event event() {
    throw unused();
  }

  @Override
  public int attempt() {
    throw unused();
  }

  @Override
  public Lease lease() {
    throw unused();
  }

  @Override
  public Optional<Instant> deadline() {
    throw unused();
  }

  @Override
  public String idempotencyKey() {
    throw unused();
  }

  @Override
  public OptionalLong fence() {
    throw unused();
  }

  @Override
  public String group() {
    throw unused();
  }

  @Override
  public String topic() {
    throw unused();
  }

  @Override
  public int partition() {
    throw unused();
  }

  @Override
  public long offset() {
    throw unused();
  }

  @Override
  public Instant timestamp() {
    throw unused();
  }

  @Override
  public ConsumerRecord<byte[], byte[]> record() {
    throw unused();
  }

  private static AssertionError unused() {
    return new AssertionError("the handler takes no delivery");
  }
}
