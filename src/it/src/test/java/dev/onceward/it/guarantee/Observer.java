package dev.onceward.it.guarantee;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Sees every run in every member, from outside of the engine, and tells the guarantees of it in the
 * order in which it happens: a run is told of before its handler starts, and its end before the
 * engine hears of it. So whatever looks out of order here was out of order. Thread-safe.
 */
final class Observer {

  private static final int MOST_SURPRISES = 10;

  private final List<Guarantee> guarantees = new ArrayList<>();
  private final Deliveries deliveries = new Deliveries();
  private final Set<String> killed = new HashSet<>();
  private final List<String> surprises = new ArrayList<>();
  private long abortedSeen;

  /** Adds a guarantee that is told of the runs; before the first run. */
  <G extends Guarantee> G add(G guarantee) {
    guarantees.add(guarantee);
    return guarantee;
  }

  Deliveries deliveries() {
    return deliveries;
  }

  /** The step around the handlers of a member of this JVM. */
  Interceptor in(String member) {
    return chain -> {
      Run run = Run.of(member, chain.delivery());
      begun(run);
      End end = End.CUT_SHORT;
      try {
        Outcome outcome = chain.proceed(chain.delivery());
        end = end(outcome);
        return outcome;
      } catch (Exception e) {
        end = end(e);
        if (end == End.CUT_SHORT) {
          surprised(run, e);
        }
        throw e;
      } finally {
        ended(run, end);
      }
    };
  }

  static End end(Outcome outcome) {
    return outcome == Outcome.APPLIED ? End.SUCCEEDED : End.SKIPPED;
  }

  static End end(Exception thrown) {
    return PlannedFailure.isBehind(thrown) ? End.FAILED : End.CUT_SHORT;
  }

  synchronized void begun(Run run) {
    if (run.plan.aborted()) {
      abortedSeen++;
    }
    guarantees.forEach(guarantee -> guarantee.begun(run));
    deliveries.begun(run);
  }

  synchronized void ended(Run run, End end) {
    guarantees.forEach(guarantee -> guarantee.ended(run, end));
    deliveries.ended(run, end);
  }

  /** Told right before a member's process is killed. */
  synchronized void killing(String member) {
    killed.add(member);
  }

  synchronized boolean wasKilled(String member) {
    return killed.contains(member);
  }

  /** Runs of records of aborted transactions. */
  synchronized long abortedSeen() {
    return abortedSeen;
  }

  /** What ended runs beside their plans, a few of them. */
  synchronized List<String> surprises() {
    return List.copyOf(surprises);
  }

  private synchronized void surprised(Run run, Exception thrown) {
    if (surprises.size() < MOST_SURPRISES) {
      surprises.add(run + ": " + thrown);
    }
  }
}
