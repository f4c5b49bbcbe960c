package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DeathsTest {

  @Test
  void whatWasAtWorkInTwoDeathsIsAccusedAndThreeAloneConvictIt() {
    Deaths deaths = Deaths.NONE;
    assertThat(deaths.isSuspect()).isFalse();
    deaths = deaths.oneMore(false);
    assertThat(deaths.isSuspect()).isTrue();
    assertThat(deaths.isAccused()).isFalse();
    deaths = deaths.oneMore(false);
    assertThat(deaths.isAccused()).isTrue();
    deaths = deaths.oneMore(true).oneMore(true);
    assertThat(deaths.isConvictedBy(3)).isFalse();
    assertThat(deaths.oneMore(false).isConvictedBy(3)).as("among others").isFalse();
    assertThat(deaths.oneMore(true).isConvictedBy(3)).isTrue();
  }

  @Test
  void whatTheProcessOutlivesTwiceForEachDeathIsNeverConvicted() {
    Deaths deaths = Deaths.NONE.oneMore(false).oneMore(false);
    for (int i = 0; i < 100; i++) {
      deaths = deaths.oneMore(true).oneOutlived().oneOutlived();
      assertThat(deaths.isConvictedBy(2)).isFalse();
    }
    assertThat(deaths.atWork()).isEqualTo(102);
  }

  // what kills after a while: each time its victim comes back, that cuts the next run short
  @Test
  void whatIsOutlivedOnceAfterEachDeathIsConvictedAllTheSame() {
    Deaths deaths = Deaths.NONE;
    int needed = 0;
    while (!deaths.isConvictedBy(3)) {
      deaths = deaths.oneOutlived().oneMore(deaths.isAccused());
      needed++;
    }
    assertThat(needed).isLessThanOrEqualTo(9);
  }

  @Test
  void outlivedRunsSpeakForNobodyInAdvance() {
    assertThat(Deaths.NONE.oneOutlived()).isEqualTo(Deaths.NONE);
    assertThat(new Deaths(4, 0, 0).oneOutlived().oneMore(false)).isEqualTo(new Deaths(5, 2, 0));
  }

  @Test
  void countsThatCanNotBeAreRefused() {
    assertThatThrownBy(() -> new Deaths(1, 1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no count of deaths: 1, suspicion 1, alone 2");
    assertThatThrownBy(() -> new Deaths(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Deaths(1, 1, -1)).isInstanceOf(IllegalArgumentException.class);
  }
}
