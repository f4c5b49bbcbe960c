package dev.onceward.dedupe.hygiene;

import java.time.Duration;
import java.util.Optional;

/**
 * How long borrowers wait for connections, measured around {@code DataSource.getConnection()}, and
 * how full the pool is. A snapshot.
 *
 * @param acquired connections that were handed out so far
 * @param failed calls that got none, for example because the pool's timeout was over
 * @param totalWait the time that all calls that are over have waited, added up
 * @param longestWait the longest of them
 * @param waiting calls that wait at present
 * @param currentWait how long the one that waits longest has waited so far; zero when none waits
 * @param usage how full the pool is, where that is known: of HikariCP pools, and of others through
 *     {@link dev.onceward.dedupe.JdbcInbox.Builder#poolUsage}
 */
public record PoolFigures(
    long acquired,
    long failed,
    Duration totalWait,
    Duration longestWait,
    int waiting,
    Duration currentWait,
    Optional<PoolUsage> usage) {

  /** How long a borrower waits before the pool counts as saturated: a second. */
  public static final Duration SATURATED_AFTER = Duration.ofSeconds(1);

  /**
   * Whether work is held up because there is no connection: somebody has waited for a second or
   * longer, and all connections are in use as far as is known. A pool that is merely full is not
   * saturated, nor is one that is slow because it connects.
   */
  public boolean isSaturated() {
    return currentWait.compareTo(SATURATED_AFTER) >= 0 && usage.map(PoolUsage::isFull).orElse(true);
  }
}
