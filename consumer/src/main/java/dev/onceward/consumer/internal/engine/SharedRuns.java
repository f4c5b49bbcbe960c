package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.SharedDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs works together that may share a transaction, one after another on one thread. It settles
 * those that went well; whatever is to be said about the others is said when each has run by
 * itself, so that a failure here costs nobody an attempt. Thread-safe.
 */
final class SharedRuns {

  private static final Logger log = ConsumerLog.log;

  private final Lanes lanes;
  private final Completions completions;
  private final Counters counters;
  private final BatchSize size;
  private final LeasePolicy leases;
  private final LongSupplier nanoTime;
  private final Handling handling;
  private final RecordDelivery.Source deliveries;

  SharedRuns(
      Lanes lanes,
      Completions completions,
      Counters counters,
      BatchSize size,
      LeasePolicy leases,
      LongSupplier nanoTime,
      EngineParts parts) {
    this.lanes = lanes;
    this.completions = completions;
    this.counters = counters;
    this.size = size;
    this.leases = leases;
    this.nanoTime = nanoTime;
    this.handling = parts.handling();
    this.deliveries = parts.deliveries();
  }

  /** The work that was taken, and those that may run together with it. */
  List<Work> takeMore(Work first) {
    int most = size.next();
    return most == 1 ? List.of(first) : lanes.takeMore(first, most);
  }

  /** Runs works that were taken together, and returns what runs next. */
  @Nullable Work run(List<Work> works) {
    long begin = nanoTime.getAsLong();
    List<Work> done = new ArrayList<>(works.size());
    List<Work> begun = new ArrayList<>(works.size());
    List<SharedDelivery> shared = new ArrayList<>(works.size());
    List<@Nullable Outcome> outcomes = List.of();
    try {
      for (Work work : works) {
        HandlerLease lease = new HandlerLease(work.record(), leases, nanoTime);
        lease.stopTime();
        if (work.beginTogether(lease)) {
          begun.add(work);
          shared.add(new SharedDelivery(deliveryOf(work, lease), laneOf(work)));
        } else {
          // it was cancelled, and is settled with its partition
          done.add(work);
        }
      }
      outcomes = handling.handleTogether(shared);
    } catch (Throwable e) {
      log.debug("{} events run by themselves, not together", begun.size(), e);
    } finally {
      begun.forEach(Work::end);
      // the next delivery on this thread must not inherit an interrupt
      Thread.interrupted();
    }
    return settle(begun, outcomes, done, nanoTime.getAsLong() - begin);
  }

  private @Nullable Work settle(
      List<Work> begun, List<@Nullable Outcome> outcomes, List<Work> done, long nanos) {
    List<Work> again = new ArrayList<>();
    for (int i = 0; i < begun.size(); i++) {
      Work work = begun.get(i);
      Outcome outcome = i < outcomes.size() ? outcomes.get(i) : null;
      if (outcome == null) {
        work.runByItself();
        again.add(work);
      } else {
        counters.count(outcome);
        completions.add(work);
        done.add(work);
      }
    }
    if (again.size() < begun.size()) {
      size.succeeded(begun.size(), nanos);
    } else if (!begun.isEmpty()) {
      size.failed(begun.size());
    }
    return lanes.finishTogether(done, again);
  }

  private RecordDelivery deliveryOf(Work work, HandlerLease lease) {
    return new RecordDelivery(
        work.record(), deliveries, work.attempt(), lease, work.partition().fence(), false);
  }

  private static Object laneOf(Work work) {
    Lane lane = work.lane;
    return lane == null ? work : lane;
  }
}
