package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.BatchPolicy;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.consumer.internal.engine.EngineLife.Handler;
import dev.onceward.consumer.internal.failure.DeadLetters;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Collects what a life is to be like; the defaults are those of a small consumer in a hurry. */
final class EngineLifeBuilder {
  Handler handler = delivery -> {};
  DeadLetters.Sender sender = letter -> CompletableFuture.completedFuture(null);
  RetryPolicy retryPolicy =
      RetryPolicy.builder()
          .maxAttempts(3)
          .initialDelay(Duration.ofMillis(2))
          .maxDelay(Duration.ofMillis(10))
          .build();
  Duration commitInterval = Duration.ofMillis(20);
  Duration drainBudget = Duration.ofSeconds(5);
  int concurrency = 4;
  int maxRecords = 1_000;
  int pollRecords = 50;
  BatchPolicy batches = BatchPolicy.none();
  boolean inOrder;
  @Nullable Fencing fencing;
  @Nullable EngineLife before;

  EngineLifeBuilder() {}

  EngineLifeBuilder handler(Handler handler) {
    this.handler = handler;
    return this;
  }

  EngineLifeBuilder sender(DeadLetters.Sender sender) {
    this.sender = sender;
    return this;
  }

  EngineLifeBuilder retryPolicy(RetryPolicy retryPolicy) {
    this.retryPolicy = retryPolicy;
    return this;
  }

  EngineLifeBuilder commitInterval(Duration commitInterval) {
    this.commitInterval = commitInterval;
    return this;
  }

  EngineLifeBuilder drainBudget(Duration drainBudget) {
    this.drainBudget = drainBudget;
    return this;
  }

  EngineLifeBuilder concurrency(int concurrency) {
    this.concurrency = concurrency;
    return this;
  }

  /** How many records may share a run; their effects are committed together or not at all. */
  EngineLifeBuilder batches(BatchPolicy batches) {
    this.batches = batches;
    return this;
  }

  /** Partitions are handled in the order of their records, whatever their keys. */
  EngineLifeBuilder inOrder() {
    this.inOrder = true;
    return this;
  }

  EngineLifeBuilder fencing(Fencing fencing) {
    this.fencing = fencing;
    return this;
  }

  /** The bounds on what is in flight and on what one poll brings. */
  EngineLifeBuilder inFlight(int maxRecords, int pollRecords) {
    this.maxRecords = maxRecords;
    this.pollRecords = pollRecords;
    return this;
  }

  /** Begins where a life has ended that is dead. */
  EngineLifeBuilder after(EngineLife before) {
    this.before = before;
    return this;
  }

  EngineLife build() {
    return new EngineLife(this);
  }
}
