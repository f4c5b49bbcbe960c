package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.LeasePolicy.OnExpiry;
import dev.onceward.consumer.internal.HandlerLease;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Takes the leases of handlers away that have run out, and says which handlers do not care.
 * Confined to the poll thread.
 */
final class Leases {

  private static final Logger log = ConsumerLog.log;
  private static final long LOOK_EVERY_NANOS = Duration.ofMillis(50).toNanos();

  /** How long a handler may take to end after its interrupt before it counts as deaf. */
  private static final long GRACE_NANOS = Duration.ofSeconds(5).toNanos();

  private final OnExpiry onExpiry;
  private final Problems problems;
  private final Consumer<Work> giveUp;
  private final Map<HandlerLease, Interrupted> interrupted = new HashMap<>();
  private Set<String> raised = new HashSet<>();
  private long lastNanos = System.nanoTime();

  /** A try whose handler was interrupted. */
  private record Interrupted(Work work, long sinceNanos) {}

  /**
   * Creates it.
   *
   * @param giveUp dead-letters work although its handler still runs
   */
  Leases(OnExpiry onExpiry, Problems problems, Consumer<Work> giveUp) {
    this.onExpiry = onExpiry;
    this.problems = problems;
    this.giveUp = giveUp;
  }

  /** Looks at all handlers that run, a few times a second at most. */
  void look(Collection<Partition> partitions) {
    long now = System.nanoTime();
    if (now - lastNanos < LOOK_EVERY_NANOS) {
      return;
    }
    lastNanos = now;
    Set<String> overdue = new HashSet<>();
    for (Partition partition : partitions) {
      partition.progress().forEachUnfinished(work -> look(work, now, overdue));
    }
    // another try of the same work has a lease of its own
    interrupted.entrySet().removeIf(e -> e.getValue().work().lease() != e.getKey());
    interrupted.values().forEach(i -> lookAgain(i.work(), now - i.sinceNanos(), overdue));
    raised.stream().filter(subject -> !overdue.contains(subject)).forEach(problems::clear);
    raised = overdue;
  }

  private void look(Work work, long now, Set<String> overdue) {
    if (onExpiry == OnExpiry.KEEP) {
      if (work.isOverdue(now)) {
        report(work, "has expired; its handler goes on, as the policy says", overdue);
      }
      return;
    }
    HandlerLease lease = work.lease();
    if (lease == null || interrupted.containsKey(lease) || !work.isOverdue(now)) {
      return;
    }
    Throwable where = work.where();
    if (work.expire(now)) {
      log.warn("the lease of {} has expired; its handler is interrupted", subjectOf(work), where);
      interrupted.put(lease, new Interrupted(work, now));
    }
  }

  private void lookAgain(Work work, long nanos, Set<String> overdue) {
    if (nanos < GRACE_NANOS) {
      return;
    }
    report(work, "has expired, and its handler does not return, deaf to its interrupt", overdue);
    if (onExpiry == OnExpiry.DEAD_LETTER && work.giveUpInFlight()) {
      giveUp.accept(work);
    }
  }

  private void report(Work work, String text, Set<String> overdue) {
    String subject = "lease of " + subjectOf(work);
    overdue.add(subject);
    problems.raise(subject, text);
  }

  private static String subjectOf(Work work) {
    return work.partition().id() + "@" + work.offset();
  }
}
