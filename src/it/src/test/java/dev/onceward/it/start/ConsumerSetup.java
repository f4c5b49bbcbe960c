package dev.onceward.it.start;

import dev.onceward.consumer.EventConsumer;
import dev.onceward.consumer.Guarantee;
import dev.onceward.consumer.LambdaHandlers;
import dev.onceward.dedupe.JdbcInbox;
import dev.onceward.envelope.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A consumer that works, to be spoilt in one place. */
final class ConsumerSetup {

  static final String TYPE = "com.acme.orders.placed.v1";

  /** In every password that is used here; it must never be seen. */
  static final String SECRET = "s3cret-9f";

  final Map<String, Object> kafka;
  final List<AutoCloseable> opened = new ArrayList<>();
  final List<String> applied = Collections.synchronizedList(new ArrayList<>());
  String topic;
  DataSource database;
  final String group;
  boolean createDeadLetterTopics = true;
  Duration startTimeout = Duration.ofSeconds(20);

  ConsumerSetup(Map<String, Object> kafka, String topic, String group, DataSource database) {
    this.kafka = new HashMap<>(kafka);
    this.topic = topic;
    this.group = group;
    this.database = database;
  }

  /** Sets a Kafka property. */
  ConsumerSetup kafka(String name, Object value) {
    kafka.put(name, value);
    return this;
  }

  EventConsumer build() {
    return EventConsumer.builder(kafka)
        .group(group)
        .handlers(
            LambdaHandlers.of("billing", topic)
                .on(TYPE, Map.class, this::apply, Guarantee.IDEMPOTENT))
        .inbox(JdbcInbox.on(database))
        .createDeadLetterTopics(createDeadLetterTopics)
        .startTimeout(startTimeout)
        .build();
  }

  private void apply(Map<?, ?> order, dev.onceward.consumer.Delivery delivery) {
    applied.add(delivery.event().getId());
  }

  /** An event for the consumer. */
  static Event event(String id) {
    return Event.builder()
        .id(id)
        .type(TYPE)
        .source("/acme/orders")
        .subject("order-" + id)
        .data("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8), "application/json")
        .build();
  }
}
