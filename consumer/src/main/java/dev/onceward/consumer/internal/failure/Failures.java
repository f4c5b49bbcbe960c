package dev.onceward.consumer.internal.failure;

import dev.onceward.consumer.DeadLetterReason;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeaseLostException;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.LeasePolicy.OnExpiry;
import dev.onceward.consumer.PermanentFailure;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.consumer.VersionGapPolicy;
import dev.onceward.consumer.VersionGapPolicy.Then;
import dev.onceward.dedupe.FencedException;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.dedupe.UnboundSettingException;
import dev.onceward.envelope.EventFormatException;
import dev.onceward.envelope.PayloadException;
import java.time.Duration;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The failure policy: what follows which failure. Thread-safe when its source of chance is. */
public final class Failures {

  private final RetryPolicy policy;
  private final LeasePolicy leases;
  private final VersionGapPolicy gaps;
  private final LongUnaryOperator chance;

  /** Creates the policy, with the standard ones for leases and gaps. */
  public Failures(RetryPolicy policy, LongUnaryOperator chance) {
    this(policy, LeasePolicy.standard(), VersionGapPolicy.standard(), chance);
  }

  /**
   * Creates the policy.
   *
   * @param chance gives a random number from zero to its argument, both included
   */
  public Failures(
      RetryPolicy policy, LeasePolicy leases, VersionGapPolicy gaps, LongUnaryOperator chance) {
    this.policy = policy;
    this.leases = leases;
    this.gaps = gaps;
    this.chance = chance;
  }

  /**
   * Decides on one failed try.
   *
   * @param failure what the try failed of. For a try whose lease was lost that is a {@link
   *     LeaseLostException}, whatever the interrupted handler threw
   * @param attempt the attempt that failed, from 1
   * @param failures how many tries have failed in a row, this one included; those that used up no
   *     attempt count too
   * @param age the time since the first failure; a failure that uses up no attempt begins it anew
   */
  public Decision decide(Throwable failure, int attempt, int failures, Duration age) {
    if (!usesAttempt(failure)) {
      // the database is down, not the event bad: giving it up would lose it for nothing
      return new Decision.Retry(backOff(failures), false);
    }
    DeadLetterReason permanent = permanentReason(failure);
    if (permanent != null) {
      return new Decision.DeadLetter(permanent);
    }
    Duration delay = backOff(failures);
    if (attempt >= policy.maxAttempts() || age.plus(delay).compareTo(policy.maxAge()) > 0) {
      return new Decision.DeadLetter(DeadLetterReason.ATTEMPTS_EXHAUSTED);
    }
    return new Decision.Retry(delay, true);
  }

  /**
   * Decides on a try that is the only one its record gets, because its key keeps failing.
   *
   * @param failures as in {@link #decide}
   */
  public Decision decideOnOnlyTry(Throwable failure, int failures) {
    return decide(failure, policy.maxAttempts(), failures, Duration.ZERO);
  }

  /**
   * Decides on an event for which the version of its entity before its own is missing.
   *
   * @param failures as in {@link #decide}
   * @param age how long it has been missing
   */
  public Decision decideOnGap(int failures, Duration age) {
    Duration left = gaps.maxWait().minus(age);
    if (left.compareTo(Duration.ZERO) > 0) {
      Duration delay = backOff(failures);
      // the last try is when the time is over, not some back-off later
      return new Decision.SetAside(delay.compareTo(left) < 0 ? delay : left, false);
    }
    return gaps.then() == Then.APPLY
        ? new Decision.SetAside(Duration.ZERO, true)
        : new Decision.DeadLetter(DeadLetterReason.VERSION_GAP);
  }

  /** Whether the version of the entity before the event's own is missing. */
  public static boolean isGap(Throwable failure) {
    return failure instanceof VersionGapException;
  }

  /** Whether somebody has taken a later fence of the partition. */
  public static boolean isFenced(Throwable failure) {
    return failure instanceof FencedException;
  }

  /**
   * Whether the event is to blame: not when its inbox cannot be reached or does not bind a setting,
   * and not when the partition belongs to another.
   */
  public static boolean usesAttempt(Throwable failure) {
    return !(failure instanceof InboxUnavailableException
        || failure instanceof UnboundSettingException
        || failure instanceof FencedException);
  }

  private @Nullable DeadLetterReason permanentReason(Throwable failure) {
    if (failure instanceof EventFormatException || failure instanceof PayloadException) {
      return DeadLetterReason.DESERIALIZATION;
    }
    if (failure instanceof InvalidEventException) {
      return DeadLetterReason.VALIDATION;
    }
    if (failure instanceof DedupeWindowException) {
      return DeadLetterReason.DEDUPE_WINDOW_EXCEEDED;
    }
    if (failure instanceof ConsumerCrashException) {
      return DeadLetterReason.CONSUMER_CRASH;
    }
    if (failure instanceof UnhandledEventException) {
      return DeadLetterReason.UNHANDLED_TYPE;
    }
    if (failure instanceof LeaseLostException lost) {
      // decided by the policy for leases alone, even if all RuntimeExceptions are permanent
      return lost.loss() == LeaseLoss.EXPIRED && leases.onExpiry() == OnExpiry.DEAD_LETTER
          ? DeadLetterReason.LEASE_EXPIRED
          : null;
    }
    if (failure instanceof PermanentFailure) {
      return DeadLetterReason.PERMANENT;
    }
    for (Class<? extends Throwable> type : policy.permanent()) {
      if (type.isInstance(failure)) {
        return DeadLetterReason.PERMANENT;
      }
    }
    return null;
  }

  /** Full jitter: anything from zero to a bound that doubles with each failure. */
  private Duration backOff(int failures) {
    long max = policy.maxDelay().toMillis();
    long initial = Math.min(policy.initialDelay().toMillis(), max);
    int doublings = Math.min(failures - 1, Long.SIZE - 2);
    long bound =
        doublings > Long.numberOfLeadingZeros(Math.max(initial, 1)) - 2
            ? max
            : Math.min(initial << doublings, max);
    return Duration.ofMillis(chance.applyAsLong(bound));
  }
}
