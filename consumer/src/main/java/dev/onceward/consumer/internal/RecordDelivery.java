package dev.onceward.consumer.internal;

import dev.onceward.consumer.Delivery;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventReader;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A delivery of a Kafka record; its event is read when first asked for. */
public final class RecordDelivery implements Delivery {

  private final ConsumerRecord<byte[], byte[]> record;
  private final Source source;
  private final int attempt;
  private final HandlerLease lease;
  private final OptionalLong fence;
  private final boolean acceptsGap;
  private volatile @Nullable Event event;

  /** Creates the delivery of one try. */
  public RecordDelivery(
      ConsumerRecord<byte[], byte[]> record, Source source, int attempt, HandlerLease lease) {
    this(record, source, attempt, lease, OptionalLong.empty(), false);
  }

  /**
   * Creates the delivery of one try.
   *
   * @param fence the fence of the ownership, if it has one
   * @param acceptsGap whether it is applied although versions before its own are missing
   */
  public RecordDelivery(
      ConsumerRecord<byte[], byte[]> record,
      Source source,
      int attempt,
      HandlerLease lease,
      OptionalLong fence,
      boolean acceptsGap) {
    this.record = record;
    this.source = source;
    this.attempt = attempt;
    this.lease = lease;
    this.fence = fence;
    this.acceptsGap = acceptsGap;
  }

  /**
   * What all deliveries of a consumer have in common.
   *
   * @param group the consumer group
   * @param reader reads the events
   * @param handlerIds finds the handler id of a delivery, for its idempotency key
   */
  public record Source(String group, EventReader reader, HandlerIds handlerIds) {}

  /** Finds the handler id that a delivery's idempotency key is scoped by. */
  @FunctionalInterface
  public interface HandlerIds {
    /** The handler id, or the group when no handler takes the type. */
    String of(String topic, String eventType);
  }

  @Override
  public Event event() {
    Event read = event;
    if (read == null) {
      read = source.reader().read(record);
      event = read;
    }
    return read;
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public HandlerLease lease() {
    return lease;
  }

  @Override
  public Optional<Instant> deadline() {
    return event().expiryTime().map(OffsetDateTime::toInstant);
  }

  @Override
  public String idempotencyKey() {
    Event read = event();
    return IdempotencyKey.of(
        source.handlerIds().of(record.topic(), read.getType()),
        read.getSource().toString(),
        read.getId());
  }

  @Override
  public OptionalLong fence() {
    return fence;
  }

  /** Whether it is applied although versions before its own are missing. */
  public boolean acceptsGap() {
    return acceptsGap;
  }

  @Override
  public String group() {
    return source.group();
  }

  @Override
  public String topic() {
    return record.topic();
  }

  @Override
  public int partition() {
    return record.partition();
  }

  @Override
  public long offset() {
    return record.offset();
  }

  @Override
  public Instant timestamp() {
    return Instant.ofEpochMilli(record.timestamp());
  }

  @Override
  public ConsumerRecord<byte[], byte[]> record() {
    return record;
  }

  /** Names the place, never the content. */
  @Override
  public String toString() {
    return record.topic()
        + "-"
        + record.partition()
        + "@"
        + record.offset()
        + " (attempt "
        + attempt
        + ")";
  }
}
