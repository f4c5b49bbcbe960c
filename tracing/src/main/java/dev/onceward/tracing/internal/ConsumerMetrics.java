package dev.onceward.tracing.internal;

import dev.onceward.tracing.ConsumerObservation;
import dev.onceward.tracing.EventTracing.Registration;
import dev.onceward.tracing.SemconvDialect;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The consumers' own metrics: five asynchronous instruments, however many consumers there are.
 *
 * <p>One callback asks all consumers and adds up what has equal attributes, because an asynchronous
 * instrument is to be given one value for each set of attributes and collection. Counts go through
 * a {@link CountLedger}, so that they neither fall nor get lost when a consumer stops; the
 * instruments therefore stay when the last one has. Get it from {@link SharedConsumerMetrics}.
 */
final class ConsumerMetrics {

  private final Semconv semconv;
  private final CountLedger ledger = new CountLedger();
  private final Set<ObservedConsumer> consumers = ConcurrentHashMap.newKeySet();
  private final ObservableLongMeasurement deliveries;
  private final ObservableLongMeasurement retries;
  private final ObservableLongMeasurement inFlight;
  private final ObservableLongMeasurement assigned;
  private final ObservableDoubleMeasurement held;

  private ConsumerMetrics(Meter meter, SemconvDialect dialect) {
    this.semconv = new Semconv(dialect);
    this.deliveries =
        meter
            .counterBuilder(Semconv.CONSUMER_DELIVERIES)
            .setUnit("{record}")
            .setDescription("Number of deliveries that are done, by outcome.")
            .buildObserver();
    this.retries =
        meter
            .counterBuilder(Semconv.CONSUMER_RETRIES)
            .setUnit("{retry}")
            .setDescription("Number of tries after the first, of whatever outcome.")
            .buildObserver();
    this.inFlight =
        meter
            .upDownCounterBuilder(Semconv.CONSUMER_IN_FLIGHT)
            .setUnit("{record}")
            .setDescription("Number of records read and not done.")
            .buildObserver();
    this.assigned =
        meter
            .upDownCounterBuilder(Semconv.CONSUMER_PARTITIONS_ASSIGNED)
            .setUnit("{partition}")
            .setDescription("Number of partitions the consumers own.")
            .buildObserver();
    this.held =
        meter
            .gaugeBuilder(Semconv.CONSUMER_PARTITION_HELD)
            .setUnit("s")
            .setDescription(
                "How long the record that holds a partition's commits has not been done.")
            .buildObserver();
  }

  /** Makes the instruments; {@code meter} keeps them and this object from then on. */
  static ConsumerMetrics on(Meter meter, SemconvDialect dialect) {
    ConsumerMetrics made = new ConsumerMetrics(meter, dialect);
    var unused =
        meter.batchCallback(
            made::collect, made.deliveries, made.retries, made.inFlight, made.assigned, made.held);
    return made;
  }

  /** Reports {@code consumer} until the registration is closed. */
  Registration observe(String group, ConsumerObservation consumer) {
    CountLedger.Account account = ledger.open(group);
    ObservedConsumer observed = new ObservedConsumer(group, consumer, account);
    consumers.add(observed);
    return () -> close(observed);
  }

  private void close(ObservedConsumer observed) {
    if (consumers.remove(observed)) {
      try {
        // what was done since the last collection counts too
        observed.count();
      } finally {
        observed.account().close();
      }
    }
  }

  private void collect() {
    Map<Attributes, Long> open = new HashMap<>();
    Map<Attributes, Long> owned = new HashMap<>();
    Map<Attributes, Double> waiting = new HashMap<>();
    for (ObservedConsumer consumer : consumers) {
      Attributes group = group(consumer.group()).build();
      consumer.count();
      consumer.inFlight(value -> open.merge(group, value, Long::sum));
      consumer.assignedPartitions(value -> owned.merge(group, (long) value, Long::sum));
      consumer.held(
          // two owners of a partition at once: around a rebalance, one of them has lost it
          partition -> waiting.merge(attributes(group, partition), seconds(partition), Math::max));
    }
    open.forEach((attributes, value) -> inFlight.record(value, attributes));
    owned.forEach((attributes, value) -> assigned.record(value, attributes));
    waiting.forEach((attributes, value) -> held.record(value, attributes));
    ledger.totals().forEach(this::record);
  }

  private void record(CountLedger.Totals totals) {
    retries.record(totals.retries(), group(totals.group()).build());
    totals
        .deliveries()
        .forEach(
            (outcome, count) -> {
              AttributesBuilder attributes = group(totals.group());
              semconv.outcome.put(attributes, outcome);
              deliveries.record(count, attributes.build());
            });
  }

  private AttributesBuilder group(String group) {
    AttributesBuilder attributes = Attributes.builder();
    semconv.group.put(attributes, group);
    return attributes;
  }

  private Attributes attributes(Attributes group, ConsumerObservation.Held partition) {
    AttributesBuilder attributes = group.toBuilder();
    semconv.destination.put(attributes, partition.topic());
    semconv.partition.put(attributes, Integer.toString(partition.partition()));
    semconv.gate.put(attributes, partition.gate());
    return attributes.build();
  }

  private static double seconds(ConsumerObservation.Held partition) {
    return partition.age().toSeconds() + partition.age().toNanosPart() / 1e9;
  }
}
