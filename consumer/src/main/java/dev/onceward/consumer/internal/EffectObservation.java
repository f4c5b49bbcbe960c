package dev.onceward.consumer.internal;

import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.hygiene.PoolFigures;
import dev.onceward.dedupe.hygiene.PoolUsage;
import dev.onceward.tracing.ConsumerObservation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds to what the engine shows of itself what it does not know of: what handlers left behind, and
 * the connections of the inbox. Of an inbox that was at work before, only what is new counts.
 * Thread-safe.
 */
public final class EffectObservation implements ConsumerObservation {

  private static final Logger log = LoggerFactory.getLogger("dev.onceward.consumer");

  private final ConsumerObservation engine;
  private final ThreadHygiene threads;
  private final @Nullable Inbox inbox;
  private final Map<String, Long> leaksBefore;
  private final @Nullable PoolFigures poolBefore;
  private final AtomicBoolean saturated = new AtomicBoolean();

  /** Begins to count. */
  public EffectObservation(
      ConsumerObservation engine, ThreadHygiene threads, @Nullable Inbox inbox) {
    this.engine = engine;
    this.threads = threads;
    this.inbox = inbox;
    this.leaksBefore = ofConnections();
    this.poolBefore = figures().orElse(null);
  }

  /** The health with the pool in it: while it is saturated the consumer is not ready. */
  public ConsumerHealth withPool(ConsumerHealth health) {
    Optional<PoolFigures> figures = figures();
    boolean full =
        health.state() == ConsumerHealth.State.RUNNING
            && figures.map(PoolFigures::isSaturated).orElse(false);
    if (saturated.getAndSet(full) != full) {
      if (full) {
        log.warn("connection pool: {}", line(figures.orElseThrow()));
      } else {
        log.info("connection pool: over");
      }
    }
    if (!full) {
      return health;
    }
    List<String> problems = new ArrayList<>(health.problems());
    problems.add("connection pool: " + line(figures.orElseThrow()));
    return new ConsumerHealth(
        health.state(),
        health.live(),
        false,
        health.sinceLastPoll(),
        health.assignedPartitions(),
        health.inFlight(),
        problems,
        health.held(),
        health.failure());
  }

  private static String line(PoolFigures figures) {
    return figures.waiting()
        + " handlers wait for a connection, one of them for "
        + figures.currentWait().toSeconds()
        + " s"
        + figures
            .usage()
            .map(usage -> ", " + usage.active() + " of " + usage.max() + " are in use")
            .orElse("")
        + "; make the pool larger, or lower concurrency";
  }

  private Optional<PoolFigures> figures() {
    return inbox == null ? Optional.empty() : inbox.pool();
  }

  private Map<String, Long> ofConnections() {
    Map<String, Long> leaks = new TreeMap<>();
    if (inbox != null) {
      inbox
          .hygiene()
          .ifPresent(
              counts ->
                  counts.leaks().forEach((kind, count) -> leaks.put(kind.metricName(), count)));
    }
    return leaks;
  }

  @Override
  public Map<String, Long> leaks() {
    Map<String, Long> leaks = new TreeMap<>(threads.counts());
    ofConnections()
        .forEach(
            (kind, count) -> {
              long more = count - leaksBefore.getOrDefault(kind, 0L);
              if (more > 0) {
                leaks.merge(kind, more, Long::sum);
              }
            });
    return leaks;
  }

  @Override
  public Optional<Pool> pool() {
    return figures()
        .map(
            now -> {
              PoolFigures then = poolBefore;
              return new Pool(
                  then == null ? now.acquired() : now.acquired() - then.acquired(),
                  then == null ? now.totalWait() : now.totalWait().minus(then.totalWait()),
                  now.waiting(),
                  of(now.usage().map(PoolUsage::active)),
                  of(now.usage().map(PoolUsage::max)));
            });
  }

  private static OptionalInt of(Optional<Integer> value) {
    return value.map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  @Override
  public String group() {
    return engine.group();
  }

  @Override
  public long inFlight() {
    return engine.inFlight();
  }

  @Override
  public int assignedPartitions() {
    return engine.assignedPartitions();
  }

  @Override
  public Map<String, Long> deliveries() {
    return engine.deliveries();
  }

  @Override
  public long retries() {
    return engine.retries();
  }

  @Override
  public Collection<Held> held() {
    return engine.held();
  }
}
