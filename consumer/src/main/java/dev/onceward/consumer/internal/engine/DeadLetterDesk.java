package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.failure.DeadLetters;
import dev.onceward.consumer.internal.failure.FailedDelivery;
import java.time.Duration;

/** Sends a dead letter until the broker has it; meanwhile its key waits. Thread-safe. */
final class DeadLetterDesk {

  private static final Duration FIRST_DELAY = Duration.ofMillis(500);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  private final DeadLetters deadLetters;
  private final Timer timer;
  private final Problems problems;

  DeadLetterDesk(DeadLetters deadLetters, Timer timer, Problems problems) {
    this.deadLetters = deadLetters;
    this.timer = timer;
    this.problems = problems;
  }

  void send(Work work, FailedDelivery failed, Runnable acknowledged) {
    send(work, failed, acknowledged, FIRST_DELAY);
  }

  private void send(Work work, FailedDelivery failed, Runnable acknowledged, Duration delay) {
    if (work.cancelled()) {
      // the next owner of the partition meets the record again
      return;
    }
    String subject = "dead letters to " + deadLetters.topicFor(failed.delivery().topic());
    deadLetters
        .send(failed)
        .whenComplete(
            (sent, error) -> {
              if (error == null) {
                problems.clear(subject);
                acknowledged.run();
                return;
              }
              problems.raise(subject, "not acknowledged, tried again: " + oneLine(error));
              timer.after(delay, () -> send(work, failed, acknowledged, longer(delay)));
            });
  }

  private static Duration longer(Duration delay) {
    Duration doubled = delay.multipliedBy(2);
    return doubled.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : doubled;
  }

  private static String oneLine(Throwable error) {
    Throwable cause = error.getCause();
    return String.valueOf((cause == null ? error : cause).getMessage());
  }
}
