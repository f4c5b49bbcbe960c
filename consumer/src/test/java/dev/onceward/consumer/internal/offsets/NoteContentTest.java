package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoteContentTest {

  private static final long[] NO_OFFSETS = {};

  @Test
  void offsetsOutOfOrderOrRangeAreRefusedByName() {
    assertRefused("negative committed offset -1", -1, 5, NO_OFFSETS);
    assertRefused("the end lies below the committed offset: 4", 5, 4, NO_OFFSETS);
    assertRefused("unfinished offset below its forerunner or the base: 4", 5, 9, new long[] {4});
    assertRefused("unfinished offset below its forerunner or the base: 6", 5, 9, new long[] {6, 6});
    assertRefused("unfinished offset at or above the end: 9", 5, 9, new long[] {6, 9});
  }

  @Test
  void entriesOutOfOrderAreRefused() {
    assertRefused(
        "entry below its forerunner or the base: 6",
        5,
        5,
        NO_OFFSETS,
        new Entry(7, 0, Deaths.NONE, true),
        new Entry(6, 0, Deaths.NONE, true));
    assertRefused(
        "entry below its forerunner or the base: 4",
        5,
        5,
        NO_OFFSETS,
        new Entry(4, 0, Deaths.NONE, true));
    assertRefused(
        "no offset of a record: 9223372036854775807",
        5,
        5,
        NO_OFFSETS,
        new Entry(Long.MAX_VALUE, 0, Deaths.NONE, true));
  }

  @Test
  void anEntryOfAFinishedRecordIsRefused() {
    assertRefused(
        "entry of a record that counts as finished: 7",
        5,
        9,
        new long[] {5, 6, 8},
        new Entry(7, 1, Deaths.NONE, false));
  }

  @Test
  void countsBelowZeroAreRefused() {
    assertThatThrownBy(() -> new Entry(1, -1, Deaths.NONE, false))
        .hasMessage("negative attempts: -1");
    assertThatThrownBy(() -> new NoteContent(true, false, -2, 0, 0, NO_OFFSETS, List.of()))
        .hasMessage("leader epoch below -1: -2");
  }

  @Test
  void aLimitBelowZeroIsRefused() {
    assertThatThrownBy(() -> new NoteCodec(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use 0 for no note");
  }

  @Test
  void anEndWithNothingFinishedBelowItIsNoMoreThanABase() {
    NoteContent content = new NoteContent(true, false, 1, 5, 8, new long[] {5, 6, 7}, List.of());
    NoteCodec codec = new NoteCodec(4096);
    assertThat(codec.decode(5, codec.encode(content).text()).doneAbove()).isZero();
  }

  private static void assertRefused(
      String message, long base, long end, long[] unfinished, Entry... entries) {
    assertThatThrownBy(
            () -> new NoteContent(true, false, -1, base, end, unfinished, Arrays.asList(entries)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
