package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.DeadLetterReason;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.LeaseLoss;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.internal.HandlerLease;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.engine.Work.Wait;
import dev.onceward.consumer.internal.failure.ConsumerCrashException;
import dev.onceward.consumer.internal.failure.Decision;
import dev.onceward.consumer.internal.failure.FailedDelivery;
import dev.onceward.consumer.internal.failure.Failures;
import dev.onceward.consumer.internal.failure.VersionGapException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Runs handlers, and settles what comes of each. Thread-safe. */
final class Workers {

  private static final Logger log = ConsumerLog.log;
  private static final String UNAVAILABLE = "inbox";
  private static final Duration REJECTED_DELAY = Duration.ofMillis(100);

  private final Lanes lanes;
  private final Completions completions;
  private final Executor executor;
  private final Timer timer;
  private final RecordDelivery.Source deliveries;
  private final Handling handling;
  private final Failures failures;
  private final DeadLetterDesk deadLetters;
  private final Counters counters;
  private final Problems problems;
  private final Clock clock;
  private final LeasePolicy leases;

  /** Measures, unlike the clock, which may be set. */
  private final LongSupplier nanoTime;

  private final KeyFailures keyFailures;
  private final SharedRuns sharedRuns;
  private final Consumer<Throwable> fatal;
  private final AtomicBoolean rejected = new AtomicBoolean();
  private final ThreadLocal<Boolean> handles = ThreadLocal.withInitial(() -> false);

  Workers(
      Lanes lanes,
      Completions completions,
      Timer timer,
      DeadLetterDesk deadLetters,
      Counters counters,
      Problems problems,
      KeyFailures keyFailures,
      BatchSize batchSize,
      LeasePolicy leases,
      LongSupplier nanoTime,
      EngineParts parts,
      Consumer<Throwable> fatal) {
    this.lanes = lanes;
    this.completions = completions;
    this.timer = timer;
    this.deadLetters = deadLetters;
    this.counters = counters;
    this.problems = problems;
    this.executor = parts.executor();
    this.handling = parts.handling();
    this.failures = parts.failures();
    this.clock = parts.clock();
    this.keyFailures = keyFailures;
    this.leases = leases;
    this.nanoTime = nanoTime;
    this.fatal = fatal;
    this.deliveries = parts.deliveries();
    this.sharedRuns =
        new SharedRuns(lanes, completions, counters, batchSize, leases, nanoTime, parts);
  }

  /** Whether the calling thread runs a handler. */
  boolean isHandling() {
    return handles.get();
  }

  /** Starts what is ready, as far as permits go. Any thread. */
  void pump() {
    if (rejected.get()) {
      // the timer tries again: one for all who ask
      return;
    }
    Work work = lanes.take();
    while (work != null) {
      if (!start(work)) {
        return;
      }
      work = lanes.take();
    }
  }

  private void pumpAgain() {
    rejected.set(false);
    pump();
  }

  private boolean start(Work work) {
    Thread caller = Thread.currentThread();
    try {
      executor.execute(
          () -> {
            if (Thread.currentThread() == caller) {
              // a caller-runs policy: the poll thread and the timer must never run a handler
              throw new RejectedExecutionException("the executor runs tasks on its caller");
            }
            runAll(work);
          });
      problems.clear("handler threads");
      return true;
    } catch (RejectedExecutionException e) {
      problems.raise("handler threads", "the executor rejects handlers; they are tried again");
      lanes.putBack(work);
      if (rejected.compareAndSet(false, true)) {
        timer.after(REJECTED_DELAY, this::pumpAgain);
      }
      return false;
    }
  }

  /** Runs the work and then, on the same thread and permit, whatever is ready next. */
  private void runAll(Work first) {
    handles.set(true);
    try {
      Work work = first;
      while (work != null) {
        List<Work> together = sharedRuns.takeMore(work);
        work = together.size() == 1 ? run(work) : sharedRuns.run(together);
      }
    } catch (Throwable e) {
      // no failure of a handler gets here: this is one of ours, and must not pass in silence
      fatal.accept(e);
    } finally {
      handles.remove();
    }
  }

  private @Nullable Work run(Work work) {
    HandlerLease lease = new HandlerLease(work.record(), leases, nanoTime);
    if (!work.begin(lease)) {
      return lanes.finish(work);
    }
    Delivery delivery =
        new RecordDelivery(
            work.record(),
            deliveries,
            work.attempt(),
            lease,
            work.partition().fence(),
            work.acceptsGap());
    if (work.attempt() > 1 || work.failures() > 0) {
      counters.countRetry();
    }
    Outcome outcome = null;
    Throwable failure = null;
    try {
      outcome = work.isConvicted() ? convict(work) : handling.handle(delivery);
    } catch (Throwable e) {
      // whatever it is, Errors and sneaky checked exceptions too: the record must be settled
      failure = lease.failureOf(e);
    } finally {
      work.end();
      // the next delivery on this thread must not inherit an interrupt
      Thread.interrupted();
    }
    if (work.waitedForInbox() && (failure == null || Failures.usesAttempt(failure))) {
      // another event's outcome would prove nothing: it may need no inbox
      problems.clear(UNAVAILABLE);
    }
    if (work.isGivenUpInFlight()) {
      return returnedTooLate(work, delivery, outcome);
    }
    if (outcome != null) {
      counters.count(outcome);
      completions.add(work);
      return lanes.finish(work);
    }
    return work.cancelled() ? lanes.finish(work) : failed(work, delivery, failure);
  }

  private static Outcome convict(Work work) {
    throw new ConsumerCrashException(
        "the process died "
            + work.crashes()
            + " times while the handler of this record ran, with nothing beside it as often as"
            + " RetryPolicy.maxCrashes allows");
  }

  private @Nullable Work failed(Work work, Delivery delivery, @Nullable Throwable failure) {
    Throwable error =
        failure != null
            ? failure
            : new IllegalStateException("an interceptor returned null as the outcome");
    Instant at = clock.instant();
    Instant since = work.firstFailure(at);
    work.countFailure();
    boolean usesAttempt = Failures.usesAttempt(error);
    if (usesAttempt && !Failures.isGap(error) && work.failures() == 1) {
      counters.countFailing();
    }
    if (Failures.isFenced(error)) {
      work.partition().refuse(delivery.fence());
    }
    boolean onlyTry = keyFailures.othersSucceed() && lanes.followsGivenUp(work);
    Decision decision =
        Failures.isGap(error)
            ? failures.decideOnGap(work.failures(), work.gapAge(nanoTime.getAsLong()))
            : onlyTry
                ? failures.decideOnOnlyTry(error, work.failures())
                : failures.decide(
                    error,
                    work.failedAttempts() + 1,
                    work.failures(),
                    work.age(nanoTime.getAsLong(), usesAttempt));
    Throwable printable = Thrown.printable(error);
    if (decision instanceof Decision.SetAside aside) {
      return setAside(work, delivery, printable, aside);
    }
    if (decision instanceof Decision.Retry retry) {
      if (retry.usesAttempt()) {
        work.countFailedAttempt();
      }
      Work next = lanes.park(work, Wait.RETRY);
      report(work, delivery, printable, retry);
      timer.after(retry.delay(), () -> runAgain(work));
      return next;
    }
    Work next = lanes.park(work, Wait.DEAD_LETTER);
    DeadLetterReason reason = ((Decision.DeadLetter) decision).reason();
    if (onlyTry && reason == DeadLetterReason.ATTEMPTS_EXHAUSTED) {
      log.warn("{} had one attempt only: the event of its key before it was given up", delivery);
    }
    giveUp(
        work,
        new FailedDelivery(delivery, reason, waitedFor(work, printable), since, at),
        () -> settled(work, reason));
    return next;
  }

  /** A gap that is given up says for how long it was waited for. */
  private Throwable waitedFor(Work work, Throwable error) {
    return error instanceof VersionGapException gap
        ? gap.after(work.gapAge(nanoTime.getAsLong()))
        : error;
  }

  private @Nullable Work setAside(
      Work work, Delivery delivery, Throwable error, Decision.SetAside aside) {
    if (aside.acceptsGap()) {
      log.warn("{} is applied although versions before its own are missing", delivery);
      work.acceptGap();
    } else if (work.failures() == 1) {
      log.info("{} waits: {}", delivery, error.getMessage());
    }
    Work next = lanes.setAside(work);
    timer.after(aside.delay(), () -> runAgain(work));
    return next;
  }

  private void report(Work work, Delivery delivery, Throwable error, Decision.Retry retry) {
    long delay = retry.delay().toMillis();
    if (!retry.usesAttempt()) {
      work.waitForInbox();
      problems.raise(UNAVAILABLE, "events wait and are tried again: " + error.getMessage());
    } else if (work.failures() == 1) {
      log.warn("{} failed, retry in {} ms", delivery, delay, error);
    } else {
      log.warn("{} failed again, retry in {} ms: {}", delivery, delay, error.toString());
    }
  }

  private void runAgain(Work work) {
    if (work.cancelled() && work.waitedForInbox()) {
      // the next owner of the partition tells whether the database is back
      problems.clear(UNAVAILABLE);
    }
    lanes.resume(work);
    pump();
  }

  /** Dead-letters work although its handler, which has lost its lease, still runs. */
  void giveUpInFlight(Work work) {
    HandlerLease lost = new HandlerLease(work.record(), leases, nanoTime);
    lost.lose(LeaseLoss.EXPIRED);
    Delivery delivery = new RecordDelivery(work.record(), deliveries, work.attempt(), lost);
    Instant now = clock.instant();
    giveUp(
        work,
        new FailedDelivery(
            delivery, DeadLetterReason.LEASE_EXPIRED, lost.failureOf(work.where()), now, now),
        () -> {
          counters.countDeadLetter();
          completions.add(work);
          if (work.letterAcknowledged()) {
            lanes.finishParked(work, true);
            pump();
          }
        });
  }

  /** The handler of a work that was given up in flight: only its key has waited for it. */
  private @Nullable Work returnedTooLate(Work work, Delivery delivery, @Nullable Outcome outcome) {
    log.warn(
        "the handler of {} has returned after its event was dead-lettered, {}",
        delivery,
        outcome == null ? "with an error" : "as if it had not lost its lease");
    Work next = lanes.park(work, Wait.DEAD_LETTER);
    if (work.handlerLetGo()) {
      lanes.finishParked(work, true);
    }
    return next == null ? lanes.take() : next;
  }

  private void giveUp(Work work, FailedDelivery failed, Runnable acknowledged) {
    DeadLetterReason reason = failed.reason();
    if (DeadLetterDesk.tellsItself(reason)) {
      // our own refusal: the stack would show nothing but this toolkit
      log.warn("{}: {}", deadLetters.describe(failed), failed.error().getMessage());
    } else {
      log.warn("{}", deadLetters.describe(failed), failed.error());
    }
    deadLetters.send(
        work,
        failed,
        () -> {
          try {
            acknowledged.run();
          } catch (Throwable e) {
            // the producer's thread would take it in silence
            fatal.accept(e);
          }
        });
  }

  private void settled(Work work, DeadLetterReason reason) {
    counters.countDeadLetter();
    completions.add(work);
    lanes.finishParked(work, reason == DeadLetterReason.ATTEMPTS_EXHAUSTED);
    pump();
  }
}
