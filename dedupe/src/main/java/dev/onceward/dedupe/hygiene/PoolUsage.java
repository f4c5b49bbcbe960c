package dev.onceward.dedupe.hygiene;

/**
 * How full a connection pool is at one moment.
 *
 * @param active connections that are borrowed
 * @param max how many the pool may have
 * @param waiting threads that wait for one, whoever they are
 */
public record PoolUsage(int active, int max, int waiting) {
  /**
   * Checks the figures.
   *
   * @throws IllegalArgumentException if one is negative
   */
  public PoolUsage {
    if (active < 0 || max < 0 || waiting < 0) {
      throw new IllegalArgumentException(
          "figures of a pool must not be negative: " + active + ", " + max + ", " + waiting);
    }
  }

  /** Whether all connections are borrowed. */
  public boolean isFull() {
    return active >= max;
  }
}
