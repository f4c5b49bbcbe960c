package dev.onceward.it.guarantee;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounded concurrency: in no member do more runs go on at once than its {@code concurrency}; those
 * of partitions that it has given up and whose handlers have not returned count too.
 */
final class BoundedConcurrency implements Guarantee {

  private final int concurrency;
  private final Map<String, Integer> running = new HashMap<>();
  private final Map<String, Integer> most = new HashMap<>();

  BoundedConcurrency(int concurrency) {
    this.concurrency = concurrency;
  }

  @Override
  public void begun(Run run) {
    most.merge(run.member, running.merge(run.member, 1, Integer::sum), Math::max);
  }

  @Override
  public void ended(Run run, End end) {
    running.merge(run.member, -1, Integer::sum);
  }

  /** The most at once in any member. */
  int most() {
    return most.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  @Override
  public void check(Findings findings) {
    most.forEach(
        (member, atOnce) -> {
          if (atOnce > concurrency) {
            findings.breach(this, "%d at once in %s".formatted(atOnce, member));
          }
        });
  }
}
