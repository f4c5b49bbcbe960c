package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyFailuresTest {

  private final KeyFailures failures = new KeyFailures(new Counters());

  @Test
  void withoutEvidenceNoKeyIsToBlame() {
    assertThat(failures.othersSucceed()).isFalse();
    failures.count(10, 9);
    assertThat(failures.othersSucceed()).isFalse();
  }

  @Test
  void whenHalfOfTheRecordsSucceedTheKeysAreToBlame() {
    failures.count(10, 10);
    assertThat(failures.othersSucceed()).isTrue();
  }

  @Test
  void whenMostFailItIsAnOutage() {
    failures.count(24, 76);
    assertThat(failures.othersSucceed()).isFalse();
    failures.count(25, 75);
    assertThat(failures.othersSucceed()).isTrue();
  }

  @Test
  void onlyTheLastLooksCount() {
    failures.count(1_000, 0);
    for (int look = 1; look <= 10; look++) {
      failures.count(1_000, look * 10L);
    }
    assertThat(failures.othersSucceed()).as("nothing succeeds any more").isFalse();
    for (int look = 1; look <= 10; look++) {
      failures.count(1_000 + look * 10L, 100);
    }
    assertThat(failures.othersSucceed()).as("all is well again").isTrue();
  }
}
