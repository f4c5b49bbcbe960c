package dev.onceward.tracing.internal;

import dev.onceward.tracing.EventTracing.Registration;
import dev.onceward.tracing.RelayObservation;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of outbox relays: six asynchronous instruments, however many relays there are, made
 * when the first one is observed. Counts of relays that were closed stay in the totals, which
 * therefore never fall. Thread-safe.
 */
final class RelayMetrics {

  private static final Logger LOG = LoggerFactory.getLogger(RelayMetrics.class);

  private final Supplier<Meter> meter;
  private final Semconv semconv;
  private final Set<Observed> relays = new LinkedHashSet<>();
  private final Map<String, Long> endedRecords = new TreeMap<>();
  private long endedChanges;
  private boolean made;

  RelayMetrics(Supplier<Meter> meter, Semconv semconv) {
    this.meter = meter;
    this.semconv = semconv;
  }

  /** What a relay told last; a figure that it cannot tell keeps its value. */
  private static final class Observed {
    private final RelayObservation relay;
    private Map<String, Long> records = Map.of();
    private long changes;
    private long shards;
    private long backlog;
    private Duration age = Duration.ZERO;
    private long dead;

    Observed(RelayObservation relay) {
      this.relay = relay;
    }

    void read() {
      try {
        records = Map.copyOf(relay.records());
        changes = relay.leaseChanges();
        shards = relay.shards();
        backlog = relay.backlog();
        age = relay.backlogAge();
        dead = relay.dead();
      } catch (RuntimeException e) {
        LOG.warn("The metrics of an outbox relay are not up to date", e);
      }
    }
  }

  synchronized Registration observe(RelayObservation relay) {
    Observed observed = new Observed(relay);
    relays.add(observed);
    if (!made) {
      made = true;
      make(meter.get());
    }
    return () -> close(observed);
  }

  private synchronized void close(Observed observed) {
    if (relays.remove(observed)) {
      observed.read();
      observed.records.forEach((outcome, count) -> endedRecords.merge(outcome, count, Long::sum));
      endedChanges += observed.changes;
    }
  }

  private void make(Meter meter) {
    ObservableLongMeasurement records =
        meter
            .counterBuilder(Semconv.OUTBOX_RECORDS)
            .setUnit("{record}")
            .setDescription("Number of outbox rows that are done or failed, by outcome.")
            .buildObserver();
    ObservableLongMeasurement changes =
        meter
            .counterBuilder(Semconv.OUTBOX_LEASE_CHANGES)
            .setUnit("{change}")
            .setDescription("Number of shards taken, given up or lost.")
            .buildObserver();
    ObservableLongMeasurement shards =
        gauge(meter, Semconv.OUTBOX_SHARDS, "{shard}", "Shards that the relays hold.");
    ObservableLongMeasurement backlog =
        gauge(meter, Semconv.OUTBOX_BACKLOG, "{record}", "Rows that wait in the relays' shards.");
    ObservableDoubleMeasurement age =
        meter
            .gaugeBuilder(Semconv.OUTBOX_BACKLOG_AGE)
            .setUnit("s")
            .setDescription("How long the oldest row of the relays' shards has waited.")
            .buildObserver();
    ObservableLongMeasurement dead =
        gauge(meter, Semconv.OUTBOX_DEAD, "{record}", "Dead rows in the relays' shards.");
    var unused =
        meter.batchCallback(
            () -> {
              Sums sums = sums();
              sums.records.forEach((outcome, count) -> records.record(count, outcome(outcome)));
              changes.record(sums.changes);
              shards.record(sums.shards);
              backlog.record(sums.backlog);
              age.record(sums.age.toNanos() / 1e9);
              dead.record(sums.dead);
            },
            records,
            changes,
            shards,
            backlog,
            age,
            dead);
  }

  private static ObservableLongMeasurement gauge(
      Meter meter, String name, String unit, String what) {
    return meter.upDownCounterBuilder(name).setUnit(unit).setDescription(what).buildObserver();
  }

  private Attributes outcome(String outcome) {
    AttributesBuilder attributes = Attributes.builder();
    semconv.outcome.put(attributes, outcome);
    return attributes.build();
  }

  private static final class Sums {
    private final Map<String, Long> records = new TreeMap<>();
    private long changes;
    private long shards;
    private long backlog;
    private long dead;
    private Duration age = Duration.ZERO;
  }

  private synchronized Sums sums() {
    Sums sums = new Sums();
    sums.records.putAll(endedRecords);
    sums.changes = endedChanges;
    List<Observed> all = new ArrayList<>(relays);
    for (Observed observed : all) {
      observed.read();
      observed.records.forEach((outcome, count) -> sums.records.merge(outcome, count, Long::sum));
      sums.changes += observed.changes;
      sums.shards += observed.shards;
      sums.backlog += observed.backlog;
      sums.dead += observed.dead;
      sums.age = sums.age.compareTo(observed.age) < 0 ? observed.age : sums.age;
    }
    return sums;
  }
}
