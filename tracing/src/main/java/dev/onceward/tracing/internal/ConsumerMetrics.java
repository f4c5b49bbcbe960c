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
 * The consumers' own metrics: a fixed number of asynchronous instruments, however many consumers
 * there are.
 *
 * <p>One callback asks all consumers and adds up what has equal attributes, because an asynchronous
 * instrument is to be given one value for each set of attributes and collection. Counts go through
 * a {@link CountLedger}, so that they neither fall nor get lost when a consumer stops; the
 * instruments therefore stay when the last one has. Get it from {@link SharedConsumerMetrics}.
 */
final class ConsumerMetrics {

  static final String ACQUIRED = "acquired";
  static final String WAITED = "waited";

  private final Semconv semconv;
  private final CountLedger ledger = new CountLedger();
  private final Set<ObservedConsumer> consumers = ConcurrentHashMap.newKeySet();
  private final ObservableLongMeasurement deliveries;
  private final ObservableLongMeasurement retries;
  private final ObservableLongMeasurement inFlight;
  private final ObservableLongMeasurement assigned;
  private final ObservableDoubleMeasurement held;
  private final ObservableLongMeasurement leaks;
  private final ObservableLongMeasurement acquired;
  private final ObservableDoubleMeasurement waited;
  private final ObservableLongMeasurement waiting;
  private final ObservableLongMeasurement active;
  private final ObservableLongMeasurement max;

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
    this.leaks =
        meter
            .counterBuilder(Semconv.CONSUMER_LEAKS)
            .setUnit("{leak}")
            .setDescription("Number of times that handlers left state behind, by kind.")
            .buildObserver();
    this.acquired =
        meter
            .counterBuilder(Semconv.CONSUMER_POOL_ACQUIRED)
            .setUnit("{connection}")
            .setDescription("Number of connections that the pool has handed out.")
            .buildObserver();
    this.waited =
        meter
            .counterBuilder(Semconv.CONSUMER_POOL_WAIT)
            .ofDoubles()
            .setUnit("s")
            .setDescription("How long calls have waited for connections, added up.")
            .buildObserver();
    this.waiting = poolGauge(meter, Semconv.CONSUMER_POOL_WAITING, "{call}", "calls that wait");
    this.active =
        poolGauge(meter, Semconv.CONSUMER_POOL_ACTIVE, "{connection}", "connections in use");
    this.max =
        poolGauge(meter, Semconv.CONSUMER_POOL_MAX, "{connection}", "connections there may be");
  }

  private static ObservableLongMeasurement poolGauge(
      Meter meter, String name, String unit, String what) {
    return meter
        .gaugeBuilder(name)
        .ofLongs()
        .setUnit(unit)
        .setDescription("Number of " + what + ", in the connection pool.")
        .buildObserver();
  }

  /** Makes the instruments; {@code meter} keeps them and this object from then on. */
  static ConsumerMetrics on(Meter meter, SemconvDialect dialect) {
    ConsumerMetrics made = new ConsumerMetrics(meter, dialect);
    var unused =
        meter.batchCallback(
            made::collect,
            made.deliveries,
            made.retries,
            made.inFlight,
            made.assigned,
            made.held,
            made.leaks,
            made.acquired,
            made.waited,
            made.waiting,
            made.active,
            made.max);
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
    Map<Attributes, Double> waits = new HashMap<>();
    Map<Attributes, ConsumerObservation.Pool> pools = new HashMap<>();
    for (ObservedConsumer consumer : consumers) {
      Attributes group = group(consumer.group()).build();
      consumer.count();
      consumer.inFlight(value -> open.merge(group, value, Long::sum));
      consumer.assignedPartitions(value -> owned.merge(group, (long) value, Long::sum));
      consumer.pool(pool -> pools.merge(group, pool, ConsumerMetrics::fuller));
      consumer.held(
          // two owners of a partition at once: around a rebalance, one of them has lost it
          partition -> waits.merge(attributes(group, partition), seconds(partition), Math::max));
    }
    open.forEach((attributes, value) -> inFlight.record(value, attributes));
    owned.forEach((attributes, value) -> assigned.record(value, attributes));
    waits.forEach((attributes, value) -> held.record(value, attributes));
    pools.forEach((attributes, pool) -> record(pool, attributes));
    ledger.totals().forEach(this::record);
  }

  /** Consumers of one group share one pool as a rule: not to be added up. */
  private static ConsumerObservation.Pool fuller(
      ConsumerObservation.Pool one, ConsumerObservation.Pool other) {
    return one.active().orElse(0) >= other.active().orElse(0) ? one : other;
  }

  private void record(ConsumerObservation.Pool pool, Attributes attributes) {
    waiting.record(pool.waiting(), attributes);
    pool.active().ifPresent(value -> active.record(value, attributes));
    pool.max().ifPresent(value -> max.record(value, attributes));
  }

  private void record(CountLedger.Totals totals) {
    Attributes group = group(totals.group()).build();
    totals
        .leaks()
        .forEach(
            (kind, count) -> {
              AttributesBuilder attributes = group.toBuilder();
              semconv.leak.put(attributes, kind);
              leaks.record(count, attributes.build());
            });
    if (!totals.pool().isEmpty()) {
      acquired.record(totals.pool().getOrDefault(ACQUIRED, 0L), group);
      waited.record(totals.pool().getOrDefault(WAITED, 0L) / 1e9, group);
    }
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
