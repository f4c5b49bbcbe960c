package dev.onceward.tracing.internal;

import dev.onceward.tracing.ConsumerObservation;
import dev.onceward.tracing.ConsumerObservation.Pool;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One registered consumer; keeps what it throws from the figures of the others. */
final class ObservedConsumer {

  private static final Logger LOG = LoggerFactory.getLogger(ObservedConsumer.class);

  private final String group;
  private final ConsumerObservation observation;
  private final CountLedger.Account account;
  private final AtomicBoolean warned = new AtomicBoolean();

  ObservedConsumer(String group, ConsumerObservation observation, CountLedger.Account account) {
    this.group = group;
    this.observation = observation;
    this.account = account;
  }

  String group() {
    return group;
  }

  CountLedger.Account account() {
    return account;
  }

  /** Brings the ledger up to date. */
  void count() {
    read("deliveries", observation::deliveries, account::deliveries);
    read("retries", observation::retries, account::retries);
    read("leaks", observation::leaks, account::leaks);
    read("pool", observation::pool, pool -> pool.ifPresent(this::count));
  }

  private void count(Pool pool) {
    account.pool(
        Map.of(
            ConsumerMetrics.ACQUIRED, pool.acquired(),
            ConsumerMetrics.WAITED, pool.waited().toNanos()));
  }

  void pool(Consumer<Pool> use) {
    read("pool", observation::pool, (Optional<Pool> pool) -> pool.ifPresent(use));
  }

  void inFlight(Consumer<Long> use) {
    read("inFlight", observation::inFlight, use);
  }

  void assignedPartitions(Consumer<Integer> use) {
    read("assignedPartitions", observation::assignedPartitions, use);
  }

  void held(Consumer<ConsumerObservation.Held> use) {
    // copied before use: all of them or none
    read("held", () -> List.copyOf(observation.held()), all -> all.forEach(use));
  }

  private <T> void read(String figure, Supplier<T> from, Consumer<T> use) {
    try {
      use.accept(from.get());
    } catch (RuntimeException e) {
      if (warned.compareAndSet(false, true)) {
        LOG.warn(
            "The metrics of a consumer of group {} lack {}; further failures are logged at debug",
            group,
            figure,
            e);
      } else {
        LOG.debug("The metrics of a consumer of group {} lack {}", group, figure, e);
      }
    }
  }
}
