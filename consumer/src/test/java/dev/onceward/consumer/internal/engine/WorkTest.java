package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkTest {

  private static final long BEGIN = 5;

  private final Work work = Records.work(Records.partition(0), 0, "k");

  @Test
  void itsAgeCountsFromTheFirstFailure() {
    assertThat(work.age(BEGIN, true)).isZero();
    assertThat(work.age(BEGIN + Duration.ofSeconds(7).toNanos(), true))
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void anOutageOfTheDatabaseDoesNotMakeItOld() {
    assertThat(work.age(BEGIN, false)).isZero();
    long back = BEGIN + Duration.ofHours(1).toNanos();
    assertThat(work.age(back, true)).isZero();
    assertThat(work.age(back + Duration.ofSeconds(7).toNanos(), true))
        .isEqualTo(Duration.ofSeconds(7));

    assertThat(work.age(back + Duration.ofSeconds(8).toNanos(), false)).isZero();
    assertThat(work.age(back + Duration.ofHours(1).toNanos(), true)).isZero();
  }

  @Test
  void ofTheHandlerAndTheDeadLetterTheLastOneIsTheLast() {
    assertThat(work.handlerLetGo()).isFalse();
    assertThat(work.letterAcknowledged()).isTrue();

    Work other = Records.work(Records.partition(0), 1, "k");
    assertThat(other.letterAcknowledged()).isFalse();
    assertThat(other.handlerLetGo()).isTrue();
  }
}
