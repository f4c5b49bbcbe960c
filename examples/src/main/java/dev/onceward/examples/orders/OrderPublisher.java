package dev.onceward.examples.orders;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.examples.DemoFailure;
import dev.onceward.examples.orders.OrderStream.Item;
import dev.onceward.producer.EventPublisher;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Publishes a stream of orders at a steady rate, and counts what the broker has acknowledged. */
final class OrderPublisher {

  private final Map<String, Object> kafkaProperties;
  private final OrderStream stream;
  private final int count;
  private final int perSecond;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  OrderPublisher(
      Map<String, Object> kafkaProperties, OrderStream stream, int count, int perSecond) {
    this.kafkaProperties = kafkaProperties;
    this.stream = stream;
    this.count = count;
    this.perSecond = perSecond;
  }

  /** Publishes all and waits for the acknowledgements. */
  void publishAll() {
    try (EventPublisher publisher = EventPublisher.builder(kafkaProperties).build();
        KafkaProducer<byte[], byte[]> foreign =
            new KafkaProducer<>(
                kafkaProperties, new ByteArraySerializer(), new ByteArraySerializer())) {
      long begin = System.nanoTime();
      for (int i = 0; i < count; i++) {
        pace(begin, i);
        send(stream.next(), publisher, foreign);
        if (failure.get() != null) {
          break;
        }
      }
      publisher.flush();
      foreign.flush();
    }
    Throwable error = failure.get();
    if (error != null) {
      throw new DemoFailure("publishing failed: " + error.getMessage(), error);
    }
  }

  /** How many records the broker has acknowledged so far; any thread. */
  long acknowledged() {
    return acknowledged.get();
  }

  private void send(Item item, EventPublisher publisher, KafkaProducer<byte[], byte[]> foreign) {
    if (item instanceof Item.OfEvent one) {
      publisher
          .publish(
              OrderEvents.TOPIC,
              one.event().toBuilder().time(OffsetDateTime.now(ZoneOffset.UTC)).build())
          .whenComplete((published, error) -> settle(error));
    } else if (item instanceof Item.Garbage garbage) {
      var unused =
          foreign.send(
              new ProducerRecord<>(
                  OrderEvents.TOPIC,
                  garbage.orderId().getBytes(UTF_8),
                  garbage.value().getBytes(UTF_8)),
              (metadata, error) -> settle(error));
    }
  }

  private void settle(@Nullable Throwable error) {
    if (error == null) {
      acknowledged.incrementAndGet();
    } else {
      failure.compareAndSet(null, error);
    }
  }

  private void pace(long begin, int sent) {
    long due = begin + Duration.ofSeconds(1).toNanos() * sent / perSecond;
    long wait = due - System.nanoTime();
    if (wait > 0) {
      LockSupport.parkNanos(wait);
    }
  }
}
