package dev.onceward.it.guarantee;

import dev.onceward.it.scene.GroupProtocol;
import java.time.Duration;
import java.util.Random;

/**
 * What a trial is to be like.
 *
 * @param seed decides what the load and the schedule do
 * @param atLeast how long the load goes on, at the least
 * @param deliveries how many runs there are to be, at the least
 * @param records how many records are published; the load goes on while there are fewer
 * @param perSecond how many records are published a second; zero for as many as are handled
 * @param tick how long it takes on average from one join or leave to the next
 * @param faults whether records fail, are slow or poisonous, topics are compacted and cut off, and
 *     transactions abort; without it handlers are quick and succeed
 * @param kills whether members run in processes of their own too, some of which are killed
 * @param overBudget whether some handlers take longer than the drain budget
 * @param alone whether nothing else runs in the JVM, so that its heap says something
 */
record Setup(
    GroupProtocol protocol,
    long seed,
    Duration atLeast,
    long deliveries,
    long records,
    int perSecond,
    Duration tick,
    boolean faults,
    boolean kills,
    boolean overBudget,
    boolean alone) {

  /** The property that gives the seed of a trial that is to be done again. */
  static final String SEED = "onceward.seed";

  /** The given seed, or one that no trial has had. */
  static long seedOfThisRun() {
    return Long.getLong(SEED, new Random().nextInt(Integer.MAX_VALUE));
  }

  /**
   * How long handlers may go on when their partition is given up: too short for a few where that is
   * asked for, and else so long that no busy machine exceeds it.
   */
  Duration drainBudget() {
    return overBudget ? Duration.ofMillis(2_500) : Duration.ofSeconds(30);
  }

  /**
   * How soon a dead member is missed: soon where some are killed. Elsewhere it is longer, so that
   * none that has to wait for its processor is taken for dead, and still well within the drain
   * budget: a classic member that is closed while its first request to join is under way stays
   * pending for that long, and no rebalance ends and no commit is taken meanwhile (KIP-394).
   */
  int sessionMillis() {
    return kills ? 6_000 : 10_000;
  }

  /** Everything, for some seconds. */
  static Setup brief(GroupProtocol protocol, long seed) {
    return new Setup(
        protocol,
        seed,
        Duration.ofSeconds(12),
        0,
        0,
        800,
        Duration.ofSeconds(2),
        true,
        true,
        false,
        false);
  }

  /** Everything, for a share of the ten minutes and the million deliveries of a chaos run. */
  static Setup chaos(GroupProtocol protocol, long seed, Duration atLeast, long deliveries) {
    return new Setup(
        protocol, seed, atLeast, deliveries, 0, 0, Duration.ofSeconds(2), true, true, true, true);
  }

  /** Members that come and go gracefully under a load that they can handle. */
  static Setup handOver(GroupProtocol protocol, long seed, long records, int perSecond) {
    return new Setup(
        protocol,
        seed,
        Duration.ZERO,
        0,
        records,
        perSecond,
        Duration.ofSeconds(1),
        false,
        false,
        false,
        false);
  }
}
