package dev.onceward.consumer.internal.engine;

import dev.onceward.tracing.KeyHash;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * After owners have died, lets the records run alone that were at work in more than one death, each
 * named by a commit before it starts: when the process dies again, the commit tells which one it
 * was. Confined to the poll thread.
 */
final class Suspects {

  private static final Logger log = ConsumerLog.log;

  /**
   * How long all else waits for a suspect to start, and then to end. Most killers kill at once; and
   * where members come and go all the time, more would bring all to a standstill.
   */
  private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

  /** How long all else waits for one to start that was at work in crash after crash. */
  private static final long LONG_PATIENCE_NANOS = Duration.ofMinutes(1).toNanos();

  private final Lanes lanes;
  private final int maxCrashes;
  private final LongSupplier nanoTime;

  /** What commits name from now on, or null. */
  private @Nullable Work alone;

  /** Whether {@link #alone} may not start before such a commit has arrived. */
  private boolean naming;

  /** Whether nothing may start before a commit has arrived that names nobody. */
  private boolean clearing;

  /** Whether what runs has been waited for long enough: no other suspect waits for it again. */
  private boolean impatient;

  Suspects(Lanes lanes, int maxCrashes) {
    this(lanes, maxCrashes, System::nanoTime);
  }

  /** Creates it with the clock of the lanes. */
  Suspects(Lanes lanes, int maxCrashes, LongSupplier nanoTime) {
    this.lanes = lanes;
    this.maxCrashes = maxCrashes;
    this.nanoTime = nanoTime;
  }

  /** Goes one step on; true when the next step needs a commit soon. */
  boolean step() {
    return step(nanoTime.getAsLong());
  }

  /** As {@link #step()}, at a time as {@link System#nanoTime}. */
  boolean step(long now) {
    lanes.isolating((isolation, running) -> step(isolation, running, now));
    return naming || clearing;
  }

  private void step(Isolation isolation, int running, long now) {
    naming = false;
    clearing = false;
    impatient &= running > 0;
    Work isolated = isolation.running();
    if (isolated != null) {
      // one that was at work in crash after crash is worth the time of its lease
      boolean worthIt =
          isWorthALongWait(isolated) && !isolated.cancelled() && !isolated.isOverdue(now);
      clearing = !worthIt && isolation.nanosInPhase(now) >= PATIENCE_NANOS;
      impatient |= clearing;
      alone = clearing ? null : isolated;
      return;
    }
    isolation.reserve();
    Work reserved = isolation.reserved();
    if (reserved != null && running == 0) {
      report(reserved);
      naming = true;
      alone = reserved;
      // so that commits name it also when others start before a thread has come to it
      reserved.marked = true;
    } else if (reserved != null) {
      boolean longWait = isWorthALongWait(reserved);
      long patience = longWait ? LONG_PATIENCE_NANOS : PATIENCE_NANOS;
      if ((impatient && !longWait) || isolation.nanosInPhase(now) >= patience) {
        // what runs beside it does not end; the commit will name it among others
        impatient = true;
        lanes.watch(reserved);
        isolation.free();
      }
    } else {
      clearing = isolation.hasEnded();
      alone = isolation.isTaken() && !clearing ? alone : null;
    }
  }

  /**
   * One that was at work in so many deaths kills after a while, or among handlers that are long.
   */
  private boolean isWorthALongWait(Work suspect) {
    return suspect.isSuspectOf(maxCrashes + 1);
  }

  private void report(Work reserved) {
    if (alone == reserved) {
      return;
    }
    if (reserved.crashes() < 2) {
      log.debug("{}@{} runs with nothing beside it", reserved.partition().id(), reserved.offset());
    } else {
      log.warn(
          "{}@{} (key hash {}) was at work in {} deaths of its process; it runs with nothing beside"
              + " it, and is dead-lettered after {} deaths alone",
          reserved.partition().id(),
          reserved.offset(),
          KeyHash.of(reserved.record().key()),
          reserved.crashes(),
          maxCrashes);
    }
  }

  /** The work that commits must name, and nothing beside it; null when nothing is isolated. */
  @Nullable Work alone() {
    return alone;
  }

  /** A commit that named {@code named}, or nobody, has arrived. */
  void committed(@Nullable Work named) {
    boolean over = clearing && named == null;
    lanes.isolating(
        (isolation, running) -> {
          if (named != null) {
            isolation.grant(named);
          } else if (over) {
            isolation.free();
          }
        });
    clearing = clearing && !over;
  }
}
