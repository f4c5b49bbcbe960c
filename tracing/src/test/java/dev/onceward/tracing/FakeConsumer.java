package dev.onceward.tracing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A consumer with figures to set. */
public final class FakeConsumer implements ConsumerObservation {

  private final String group;
  private final Map<String, Long> deliveries = new ConcurrentHashMap<>();
  private volatile long retries;
  private volatile long inFlight;
  private volatile int assignedPartitions;
  private volatile List<Held> held = List.of();
  private final Map<String, Long> leaks = new ConcurrentHashMap<>();
  private volatile @Nullable Pool pool;
  private volatile @Nullable Object owner;

  public FakeConsumer(String group) {
    this.group = group;
  }

  FakeConsumer delivered(String outcome, long soFar) {
    deliveries.put(outcome, soFar);
    return this;
  }

  FakeConsumer leaked(String kind, long soFar) {
    leaks.put(kind, soFar);
    return this;
  }

  FakeConsumer pooled(long acquired, Duration waited, int waiting, int active, int max) {
    pool = new Pool(acquired, waited, waiting, OptionalInt.of(active), OptionalInt.of(max));
    return this;
  }

  FakeConsumer retried(long soFar) {
    retries = soFar;
    return this;
  }

  FakeConsumer inFlight(long records) {
    inFlight = records;
    return this;
  }

  FakeConsumer assigned(int partitions) {
    assignedPartitions = partitions;
    return this;
  }

  FakeConsumer holding(String topic, int partition, String gate, Duration age) {
    List<Held> more = new ArrayList<>(held);
    more.add(new Held(topic, partition, gate, age));
    held = more;
    return this;
  }

  /** Keeps {@code owner} as long as this consumer is kept. */
  public FakeConsumer belongingTo(Object owner) {
    this.owner = owner;
    return this;
  }

  FakeConsumer holdingNothing() {
    held = List.of();
    return this;
  }

  @Override
  public String toString() {
    return "a consumer of " + group + " that belongs to " + owner;
  }

  @Override
  public String group() {
    return group;
  }

  @Override
  public long inFlight() {
    return inFlight;
  }

  @Override
  public int assignedPartitions() {
    return assignedPartitions;
  }

  @Override
  public Map<String, Long> deliveries() {
    return deliveries;
  }

  @Override
  public long retries() {
    return retries;
  }

  @Override
  public Collection<Held> held() {
    return held;
  }

  @Override
  public Map<String, Long> leaks() {
    return leaks;
  }

  @Override
  public Optional<Pool> pool() {
    return Optional.ofNullable(pool);
  }
}
