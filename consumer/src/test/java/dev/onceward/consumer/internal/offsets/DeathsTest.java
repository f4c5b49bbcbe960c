package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DeathsTest {

  @Test
  void threeRunsInARowThatTheProcessOutlivesClearARecordOfItsDeathsAlone() {
    Deaths deaths = Deaths.NONE.oneMore(false).oneMore(false).oneMore(true);

    assertThat(deaths.outlived().outlived()).isEqualTo(new Deaths(3, 1, 2));
    assertThat(deaths.outlived().outlived().outlived()).isEqualTo(new Deaths(3, 0, 0));
  }

  // what kills after a while: its run is cut short when its victim comes back
  @Test
  void aDeathAfterARunThatWasOutlivedCountsAsMuchAsTheOneBefore() {
    Deaths deaths = Deaths.NONE.oneMore(true).outlived().outlived().oneMore(true);

    assertThat(deaths).isEqualTo(new Deaths(2, 2, 0));
  }

  @Test
  void withoutADeathAloneThereIsNothingToBeClearedOf() {
    assertThat(new Deaths(2, 0, 0).outlived()).isEqualTo(new Deaths(2, 0, 0));
    assertThat(Deaths.NONE.outlived()).isEqualTo(Deaths.NONE);
  }

  @Test
  void countsThatCanNotBeAreRefused() {
    assertThatThrownBy(() -> new Deaths(1, 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no count of deaths: 1, 2 of them alone, survived 0");
    assertThatThrownBy(() -> new Deaths(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Deaths(1, 1, -1)).isInstanceOf(IllegalArgumentException.class);
  }
}
