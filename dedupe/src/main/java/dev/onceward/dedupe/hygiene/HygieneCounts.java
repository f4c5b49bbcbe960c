package dev.onceward.dedupe.hygiene;

import java.util.Map;

/**
 * What the checks of one data source or inbox have done since it was made. No figure ever falls.
 *
 * @param checkIns connections that were given back
 * @param serverChecks how many of them were checked with a query
 * @param violations how many of them were given back dirty, or would have been
 * @param evictions how many were taken out of their pool
 * @param unreadable how many could not be checked because the query failed; they were taken out
 * @param leaks how often each kind of state was left; kinds that never were are missing
 */
public record HygieneCounts(
    long checkIns,
    long serverChecks,
    long violations,
    long evictions,
    long unreadable,
    Map<LeakKind, Long> leaks) {

  /** Copies the map. */
  public HygieneCounts {
    leaks = Map.copyOf(leaks);
  }
}
