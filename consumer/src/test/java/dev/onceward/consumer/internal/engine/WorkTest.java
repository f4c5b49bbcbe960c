package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class WorkTest {

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final Work work = Records.work(Records.partition(0), 0, "k");

  @Test
  void itsAgeCountsFromTheFirstFailure() {
    assertThat(work.age(BEGIN, true)).isZero();
    assertThat(work.age(BEGIN.plusSeconds(7), true)).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void anOutageOfTheDatabaseDoesNotMakeItOld() {
    assertThat(work.age(BEGIN, false)).isZero();
    Instant back = BEGIN.plus(Duration.ofHours(1));
    assertThat(work.age(back, true)).isZero();
    assertThat(work.age(back.plusSeconds(7), true)).isEqualTo(Duration.ofSeconds(7));

    assertThat(work.age(back.plusSeconds(8), false)).isZero();
    assertThat(work.age(back.plus(Duration.ofHours(1)), true)).isZero();
  }
}
