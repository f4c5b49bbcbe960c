package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DeathsTest {

  @Test
  void threeRunsInARowThatTheProcessOutlivesClearARecord() {
    Deaths deaths = Deaths.NONE.oneMore(false).oneMore(false).oneMore(true);

    assertThat(deaths.oneOutlived().oneOutlived()).isEqualTo(new Deaths(3, 3, 1, 2));
    assertThat(deaths.oneOutlived().oneOutlived().oneOutlived()).isEqualTo(new Deaths(3, 0, 0, 0));
  }

  // what kills after a while: its run is cut short when its victim comes back
  @Test
  void aDeathAfterRunsThatWereOutlivedCountsAsMuchAsTheOneBefore() {
    Deaths deaths = Deaths.NONE.oneMore(true).oneOutlived().oneOutlived().oneMore(true);

    assertThat(deaths).isEqualTo(new Deaths(2, 2, 2, 0));
  }

  @Test
  void afterItWasClearedOnlyFurtherDeathsAccuse() {
    Deaths cleared = new Deaths(4, 0, 0, 0);

    assertThat(cleared.oneOutlived()).isEqualTo(cleared);
    assertThat(cleared.oneMore(false)).isEqualTo(new Deaths(5, 1, 0, 0));
  }

  @Test
  void countsThatCanNotBeAreRefused() {
    assertThatThrownBy(() -> new Deaths(1, 1, 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no count of deaths: 1, 1 accusing, 2 alone, 0 outlived");
    assertThatThrownBy(() -> new Deaths(1, 2, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Deaths(-1, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Deaths(1, 1, 1, -1)).isInstanceOf(IllegalArgumentException.class);
  }
}
