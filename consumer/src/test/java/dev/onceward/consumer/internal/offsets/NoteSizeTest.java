package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.internal.offsets.NoteCodec.Encoded;
import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What notes take of the 4096 characters and of the heap. */
class NoteSizeTest {

  private static final long BASE = 123_456_789;

  private final NoteCodec codec = new NoteCodec(4096);

  static Stream<Arguments> cases() {
    Random random = new Random(11);
    return Stream.of(
        Arguments.of("1000, 64 open", Notes.scattered(BASE, 1_000, 64, random), 130),
        Arguments.of("5000, 256 open", Notes.scattered(BASE, 5_000, 256, random), 350),
        Arguments.of("20000, 16 open", Notes.scattered(BASE, 20_000, 16, random), 85),
        Arguments.of("20000, 1024 open", Notes.scattered(BASE, 20_000, 1_024, random), 1_150),
        Arguments.of("100000, 1024 open", Notes.scattered(BASE, 100_000, 1_024, random), 1_750),
        Arguments.of("20000, half open", Notes.random(BASE, 20_000, 0.5, random), 3_400),
        Arguments.of("20000, a tenth done", Notes.random(BASE, 20_000, 0.9, random), 1_750),
        Arguments.of("42000, a tenth open", Notes.random(BASE, 42_000, 0.1, random), 3_600),
        Arguments.of("a million, 0.1 % open", Notes.random(BASE, 1_000_000, 0.001, random), 2_800),
        Arguments.of("every second open", Notes.of(BASE, 20_000, i -> i % 2 == 0), 80),
        Arguments.of("every 16th open", Notes.of(BASE, 20_000, i -> i % 16 == 0), 80),
        Arguments.of("one open, a million done", Notes.of(BASE, 1_000_000, i -> i == 0), 24));
  }

  @ParameterizedTest(name = "{0}: at most {2}")
  @MethodSource("cases")
  void aNoteIsAsShortAsItsPatternAllows(String name, NoteContent content, int most) {
    Encoded encoded = codec.encode(content);
    assertThat(encoded.wantedChars()).as(name).isLessThanOrEqualTo(most);
    Notes.assertSaysAll(codec.decode(BASE, encoded.text()), content);
  }

  @Test
  void aThousandStartedRecordsFitBelowTheMarkAtWhichThePartitionIsPaused() {
    NoteContent content = Notes.allStarted(Notes.scattered(BASE, 20_000, 1_024, new Random(2)));
    Encoded encoded = codec.encode(content);
    assertThat(encoded.wantedChars()).isLessThan(4096 * 3 / 4);
    Notes.assertSaysAll(codec.decode(BASE, encoded.text()), content);
  }

  @Test
  void aStuckRecordWithAMillionDoneBehindItCostsNoMoreThanWithTen() {
    assertThat(Notes.allocatedBy(() -> codec.encode(stuck(1_000_000_000)))).isLessThan(8_000);
    String text = codec.encode(stuck(1_000_000_000)).text();
    assertThat(Notes.allocatedBy(() -> codec.decode(BASE, text))).isLessThan(8_000);
  }

  private static NoteContent stuck(long done) {
    return new NoteContent(
        true,
        false,
        4,
        BASE,
        BASE + done,
        new long[] {BASE},
        List.of(new Entry(BASE, 3, Deaths.NONE, true)));
  }

  @Test
  void gapsOfBillionsCostNoMoreThanTheRecordsBetweenThem() {
    long[] unfinished = IntStream.range(0, 50).mapToLong(i -> BASE + i * 4_000_000_000L).toArray();
    NoteContent content =
        new NoteContent(
            false, false, -1, BASE, unfinished[49] + 2_000_000_000, unfinished, List.of());
    assertThat(Notes.allocatedBy(() -> codec.encode(content))).isLessThan(32_000);
    Notes.assertSaysAll(codec.decode(BASE, codec.encode(content).text()), content);
  }

  @Test
  void aHundredThousandOpenRecordsAreCutOffWithinBounds() {
    NoteContent content = Notes.allStarted(Notes.random(BASE, 400_000, 0.25, new Random(9)));
    assertThat(Notes.allocatedBy(() -> codec.encode(content))).isLessThan(20_000_000);
    Encoded encoded = codec.encode(content);
    assertThat(encoded.wantedChars()).isGreaterThan(4096);
    CommitNote note = codec.decode(BASE, encoded.text());
    Notes.assertSaysNothingWrong(note, content);
    assertThat(note.started()).hasSizeGreaterThan(1_500);
  }
}
