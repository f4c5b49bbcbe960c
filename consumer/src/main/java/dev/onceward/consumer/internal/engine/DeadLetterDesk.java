package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.DeadLetterReason;
import dev.onceward.consumer.internal.failure.DeadLetters;
import dev.onceward.consumer.internal.failure.FailedDelivery;
import dev.onceward.envelope.Event;
import dev.onceward.envelope.EventFormatException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a dead letter until the broker has it; meanwhile its key waits. Sends from a thread of its
 * own, because a send can block for as long as {@code max.block.ms}. Thread-safe.
 */
final class DeadLetterDesk implements AutoCloseable {

  private static final Duration FIRST_DELAY = Duration.ofMillis(500);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  /** The producer may try for minutes by itself; health tells earlier. */
  private static final Duration SLOW = Duration.ofSeconds(5);

  private final DeadLetters deadLetters;
  private final Timer timer;
  private final Problems problems;
  private final Consumer<Throwable> fatal;
  private final ThreadPoolExecutor sender;

  DeadLetterDesk(
      DeadLetters deadLetters,
      Timer timer,
      Problems problems,
      String threadName,
      Consumer<Throwable> fatal) {
    this.deadLetters = deadLetters;
    this.timer = timer;
    this.problems = problems;
    this.fatal = fatal;
    sender =
        new ThreadPoolExecutor(
            1,
            1,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            },
            // after close the letters are the next owner's
            (task, closed) -> {});
    sender.allowCoreThreadTimeOut(true);
  }

  /** Sends it; {@code acknowledged} runs once the broker has it. Returns at once. */
  void send(Work work, FailedDelivery failed, Runnable acknowledged) {
    enqueue(new Letter(work, failed, acknowledged), FIRST_DELAY);
  }

  /** Whether the message says all there is to know of failures with this reason. */
  static boolean tellsItself(DeadLetterReason reason) {
    return switch (reason) {
      case DESERIALIZATION,
          VALIDATION,
          UNHANDLED_TYPE,
          CONSUMER_CRASH,
          DEDUPE_WINDOW_EXCEEDED,
          VERSION_GAP ->
          true;
      case PERMANENT, ATTEMPTS_EXHAUSTED, LEASE_EXPIRED -> false;
    };
  }

  /** What is given up, why and whereto, for the log; no key and no payload. */
  String describe(FailedDelivery failed) {
    return failed.delivery()
        + eventOf(failed)
        + " is dead-lettered to "
        + deadLetters.topicFor(failed.delivery().topic())
        + ", reason "
        + failed.reason();
  }

  private static String eventOf(FailedDelivery failed) {
    try {
      Event event = failed.delivery().event();
      return ", event " + event.getId() + " of type " + event.getType() + ",";
    } catch (EventFormatException unreadable) {
      return ", no event,";
    }
  }

  private void enqueue(Letter letter, Duration delay) {
    sender.execute(
        () -> {
          try {
            post(letter, delay);
          } catch (Throwable e) {
            fatal.accept(e);
          }
        });
  }

  private void post(Letter letter, Duration delay) {
    String subject = "dead letters to " + deadLetters.topicFor(letter.failed.delivery().topic());
    if (letter.work.cancelled()) {
      // the next owner of the partition meets the record again
      problems.clear(subject);
      return;
    }
    Sending sending = new Sending();
    Future<?> slow = timer.watch(SLOW, () -> sending.stillOpen(() -> raise(subject, null)));
    deadLetters
        .send(letter.failed)
        .whenComplete(
            (sent, error) -> {
              sending.close();
              slow.cancel(false);
              if (error == null) {
                problems.clear(subject);
                letter.acknowledged.run();
                return;
              }
              raise(subject, error);
              timer.after(delay, () -> enqueue(letter, longer(delay)));
            });
  }

  private void raise(String subject, @Nullable Throwable error) {
    problems.raise(
        subject,
        error == null
            ? "no acknowledgement for " + SLOW.toSeconds() + " s, still waiting"
            : "not acknowledged, tried again: " + oneLine(error));
  }

  @Override
  public void close() {
    sender.shutdown();
  }

  private static Duration longer(Duration delay) {
    Duration doubled = delay.multipliedBy(2);
    return doubled.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : doubled;
  }

  private static String oneLine(Throwable error) {
    Throwable cause = error.getCause();
    return String.valueOf((cause == null ? error : cause).getMessage());
  }

  private record Letter(Work work, FailedDelivery failed, Runnable acknowledged) {}

  /** One send, which is reported as slow only as long as it goes on. */
  private static final class Sending {
    private boolean open = true;

    synchronized void stillOpen(Runnable action) {
      if (open) {
        action.run();
      }
    }

    synchronized void close() {
      open = false;
    }
  }
}
