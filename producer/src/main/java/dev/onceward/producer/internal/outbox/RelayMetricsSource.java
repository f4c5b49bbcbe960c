package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.outbox.RelayCounts;
import dev.onceward.tracing.RelayObservation;
import java.time.Duration;
import java.util.Map;

/** What metrics ask of a relay. */
public final class RelayMetricsSource implements RelayObservation {
  private final RelayEngine engine;

  public RelayMetricsSource(RelayEngine engine) {
    this.engine = engine;
  }

  @Override
  public Map<String, Long> records() {
    RelayCounts counts = engine.counts();
    return Map.of(
        "sent", counts.sent(),
        "failed", counts.failed(),
        "dead", counts.dead(),
        "behind", counts.behind(),
        "overlooked", counts.overlooked());
  }

  @Override
  public long leaseChanges() {
    RelayCounts counts = engine.counts();
    return counts.shardsTaken() + counts.shardsGivenUp() + counts.shardsLost();
  }

  @Override
  public int shards() {
    return engine.health().shards();
  }

  @Override
  public long backlog() {
    return engine.health().backlog();
  }

  @Override
  public Duration backlogAge() {
    return engine.health().backlogAge();
  }

  @Override
  public long dead() {
    return engine.health().dead();
  }
}
