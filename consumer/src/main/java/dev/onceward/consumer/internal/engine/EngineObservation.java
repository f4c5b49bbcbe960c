package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.DeliveryCounts;
import dev.onceward.tracing.ConsumerObservation;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** An engine as the metrics see it. Thread-safe. */
public final class EngineObservation implements ConsumerObservation {

  private final String group;
  private final Engine engine;

  public EngineObservation(String group, Engine engine) {
    this.group = group;
    this.engine = engine;
  }

  @Override
  public String group() {
    return group;
  }

  @Override
  public long inFlight() {
    return engine.health().inFlight();
  }

  @Override
  public int assignedPartitions() {
    return engine.health().assignedPartitions();
  }

  @Override
  public Map<String, Long> deliveries() {
    DeliveryCounts counts = engine.counts();
    Map<String, Long> byOutcome = new LinkedHashMap<>();
    byOutcome.put("applied", counts.applied());
    byOutcome.put("duplicate", counts.duplicates());
    byOutcome.put("stale", counts.stale());
    byOutcome.put("expired", counts.expired());
    byOutcome.put("unhandled", counts.unhandled());
    byOutcome.put("tombstone", counts.tombstones());
    byOutcome.put("dead_lettered", counts.deadLettered());
    byOutcome.put("already_done", counts.alreadyDone());
    return byOutcome;
  }

  @Override
  public long retries() {
    return engine.counts().retries();
  }

  @Override
  public Collection<Held> held() {
    return engine.health().held().stream()
        .map(
            held ->
                new Held(
                    held.topic(),
                    held.partition(),
                    held.gate().name().toLowerCase(Locale.ROOT),
                    held.age()))
        .toList();
  }
}
