package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.DeliveryCounts;
import dev.onceward.consumer.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts what becomes of deliveries. Thread-safe. */
final class Counters {

  private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
  private final LongAdder deadLettered = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder failing = new LongAdder();
  private final LongAdder alreadyDone = new LongAdder();

  Counters() {
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, new LongAdder());
    }
  }

  void count(Outcome outcome) {
    adder(outcome).increment();
  }

  void countDeadLetter() {
    deadLettered.increment();
  }

  void countRetry() {
    retries.increment();
  }

  void countFailing() {
    failing.increment();
  }

  void countAlreadyDone() {
    alreadyDone.increment();
  }

  /** Records whose handler, if it was needed, returned. */
  long succeeded() {
    return of(Outcome.APPLIED) + of(Outcome.DUPLICATE) + of(Outcome.STALE);
  }

  /** Records whose first try failed. */
  long failing() {
    return failing.sum();
  }

  DeliveryCounts snapshot() {
    return new DeliveryCounts(
        of(Outcome.APPLIED),
        of(Outcome.DUPLICATE),
        of(Outcome.STALE),
        of(Outcome.EXPIRED),
        of(Outcome.UNHANDLED),
        of(Outcome.TOMBSTONE),
        deadLettered.sum(),
        retries.sum(),
        alreadyDone.sum());
  }

  private long of(Outcome outcome) {
    return adder(outcome).sum();
  }

  private LongAdder adder(Outcome outcome) {
    return Objects.requireNonNull(outcomes.get(outcome));
  }
}
