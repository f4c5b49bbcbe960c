package dev.onceward.consumer.internal;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.Lease;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeaseLostException;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one try, with the side that handlers do not see. Thread-safe.
 *
 * <pre>
 *   HELD ── lose ─────────▶ LOST
 *   HELD ── beginCommit ──▶ COMMITTING ── endCommit(true) ──▶ COMMITTED
 *   COMMITTING ── endCommit(false) ─────────▶ HELD, or LOST when it was revoked meanwhile
 *   COMMITTING, COMMITTED ── beginEffect ───▶ HELD, or LOST when it was revoked meanwhile
 *   all but LOST ── end ──▶ ENDED
 * </pre>
 *
 * LOST and ENDED are final. Of {@code lose} and {@code beginCommit} the first wins: what is lost is
 * not committed, and what is being committed is not lost, unless the commit fails.
 */
public final class HandlerLease implements Lease {

  /** Far below the half of the range of nanoTime, so that differences never overflow. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private enum Phase {
    HELD,
    COMMITTING,
    COMMITTED,
    LOST,
    ENDED
  }

  private final ConsumerRecord<?, ?> record;
  private final LeasePolicy policy;
  private final LongSupplier nanoTime;

  /** Private, because users may synchronize on the lease. Held for a few instructions only. */
  private final Object lock = new Object();

  // written under the lock, and read without it
  private volatile long endNanos;
  private volatile Phase phase = Phase.HELD;

  /** Whether its time does not run, because its handler does not; guarded by the lock. */
  private boolean stopped;

  /** Why it is LOST; while COMMITTING or COMMITTED, whether it would be without the commit. */
  private volatile @Nullable LeaseLoss loss;

  /** Guarded by the lock; made when it is first asked for, which most handlers never do. */
  private @Nullable CompletableFuture<LeaseLoss> lost;

  /**
   * Begins the lease of a try.
   *
   * @param record names the place in messages
   * @param nanoTime as {@link System#nanoTime}
   */
  public HandlerLease(ConsumerRecord<?, ?> record, LeasePolicy policy, LongSupplier nanoTime) {
    this.record = record;
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.endNanos = nanoTime.getAsLong() + nanos(policy.maximum());
  }

  /**
   * The lease of a delivery that comes from the engine, before any interceptor can have wrapped it.
   */
  public static HandlerLease of(Delivery delivery) {
    if (delivery.lease() instanceof HandlerLease lease) {
      return lease;
    }
    throw new IllegalArgumentException("the lease of " + delivery + " is not the engine's");
  }

  @Override
  public Duration remaining() {
    Phase now = phase;
    if (now == Phase.LOST || now == Phase.ENDED) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(Math.max(0, endNanos - nanoTime.getAsLong()));
  }

  @Override
  public void extend(Duration fromNow) {
    if (fromNow.isNegative() || fromNow.isZero()) {
      throw new IllegalArgumentException("fromNow must be longer than zero, but is " + fromNow);
    }
    synchronized (lock) {
      if (phase == Phase.LOST || phase == Phase.ENDED) {
        throw refusal();
      }
      endNanos = nanoTime.getAsLong() + nanos(fromNow);
    }
  }

  @Override
  public boolean isLost() {
    return phase == Phase.LOST;
  }

  @Override
  public CompletionStage<LeaseLoss> lost() {
    synchronized (lock) {
      if (lost == null) {
        lost = new CompletableFuture<>();
        if (phase == Phase.LOST) {
          lost.complete(loss);
        }
      }
      return lost.minimalCompletionStage();
    }
  }

  @Override
  public void check() {
    if (phase == Phase.LOST) {
      throw refusal();
    }
  }

  /** Why it was lost, or null when it was not. */
  public @Nullable LeaseLoss loss() {
    return phase == Phase.LOST ? loss : null;
  }

  /**
   * Whether its time has passed, whatever follows from that.
   *
   * @param nowNanos as {@link System#nanoTime}
   */
  public boolean isExpired(long nowNanos) {
    return nowNanos - endNanos >= 0;
  }

  /**
   * Loses the lease if its time has passed and the policy does not keep it; an {@link #extend} that
   * returned before is honoured.
   *
   * @param nowNanos as {@link System#nanoTime}
   * @return as {@link #lose}
   */
  public boolean expire(long nowNanos) {
    synchronized (lock) {
      return policy.onExpiry() != OnExpiry.KEEP && isExpired(nowNanos) && lose(LeaseLoss.EXPIRED);
    }
  }

  /**
   * Loses the lease; whoever gets true interrupts the handler.
   *
   * @return false when it is lost or ended already, and from the beginning of its commit. The
   *     thread must not be interrupted then. A revocation that comes after that takes effect when
   *     the commit fails or the effect is to run again, so that no handler starts any more. An
   *     expiry that comes after that is forgotten: it is not the handler that takes long
   */
  public boolean lose(LeaseLoss reason) {
    synchronized (lock) {
      if (phase == Phase.COMMITTING || phase == Phase.COMMITTED) {
        if (reason == LeaseLoss.REVOKED) {
          loss = reason;
        }
        return false;
      }
      if (phase != Phase.HELD) {
        return false;
      }
      becomeLost(reason);
      return true;
    }
  }

  /**
   * Stops its time until the effect begins: the handlers of others, with which it shares a
   * transaction, have their turn.
   */
  public void stopTime() {
    synchronized (lock) {
      stopped = true;
      endNanos = nanoTime.getAsLong() + nanos(LONGEST);
    }
  }

  /**
   * Begins a run of the effect. It may be a further one: after a transaction that was rolled back
   * and is repeated, or when an interceptor proceeds again.
   *
   * @throws RuntimeException {@link #refusal} when the effect must not run
   */
  public void beginEffect() {
    synchronized (lock) {
      if (phase == Phase.COMMITTING || phase == Phase.COMMITTED) {
        reopen();
      }
      if (phase != Phase.HELD) {
        throw refusal();
      }
      if (stopped) {
        stopped = false;
        endNanos = nanoTime.getAsLong() + nanos(policy.maximum());
      }
    }
  }

  /**
   * Takes the right to commit; from here on the lease cannot be lost, unless the commit fails.
   *
   * @return false when the effect must not be committed; {@link #refusal} says why
   */
  public boolean beginCommit() {
    synchronized (lock) {
      if (phase != Phase.HELD) {
        return false;
      }
      phase = Phase.COMMITTING;
      return true;
    }
  }

  /**
   * Ends what {@link #beginCommit} began; does nothing when nothing is being committed.
   *
   * @param committed whether the effect is safe; false when it was rolled back, and when nobody
   *     knows
   */
  public void endCommit(boolean committed) {
    synchronized (lock) {
      if (phase != Phase.COMMITTING) {
        return;
      }
      if (committed) {
        phase = Phase.COMMITTED;
      } else {
        reopen();
      }
    }
  }

  /** Ends the lease with its try; one that was lost stays lost. */
  public void end() {
    synchronized (lock) {
      if (phase != Phase.LOST) {
        phase = Phase.ENDED;
      }
    }
  }

  /** Why the effect may not be committed or the lease not be extended. */
  public RuntimeException refusal() {
    LeaseLoss reason = loss();
    return reason == null
        ? new IllegalStateException("the try of " + place() + " has ended, and its lease with it")
        : new LeaseLostException(reason, message(reason), null);
  }

  /**
   * What a failed try failed of: a {@link LeaseLostException} when its lease was lost, for then
   * whatever the handler threw came of the interrupt; it is kept as the cause. Otherwise, and when
   * it is a {@link LeaseLostException} already, what was thrown.
   */
  public Throwable failureOf(Throwable thrown) {
    LeaseLoss reason = loss();
    return reason == null || thrown instanceof LeaseLostException
        ? thrown
        : new LeaseLostException(reason, message(reason), thrown);
  }

  /** Names the place, never the content. */
  @Override
  public String toString() {
    return "lease of " + place();
  }

  /** Call with the lock. */
  private void reopen() {
    LeaseLoss meanwhile = loss;
    if (meanwhile == null) {
      phase = Phase.HELD;
    } else {
      becomeLost(meanwhile);
    }
  }

  /** Call with the lock. */
  private void becomeLost(LeaseLoss reason) {
    loss = reason;
    phase = Phase.LOST;
    if (lost != null) {
      // not here: users' callbacks must not hold up the poll thread
      lost.completeAsync(() -> reason);
    }
  }

  private String message(LeaseLoss reason) {
    return switch (reason) {
      case EXPIRED ->
          "the lease of "
              + place()
              + " has expired, its handler took too long; make it faster, extend the lease, or"
              + " raise LeasePolicy.maximum ("
              + policy.maximum()
              + ")";
      case REVOKED ->
          "the lease of "
              + place()
              + " was revoked, its handler did not finish within the drain budget; the event is"
              + " redelivered";
    };
  }

  private String place() {
    return record.topic() + "-" + record.partition() + "@" + record.offset();
  }

  private static long nanos(Duration duration) {
    return (duration.compareTo(LONGEST) > 0 ? LONGEST : duration).toNanos();
  }
}
