package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.internal.offsets.NoteCodec.Encoded;
import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoteRoundTripTest {

  private static final int BROKER_DEFAULT = 4096;

  private final NoteCodec codec = new NoteCodec(BROKER_DEFAULT);

  @Provide
  Arbitrary<NoteContent> contents() {
    return Notes.contents();
  }

  @Property(tries = 600)
  void whatFitsIsReadBackWholeAndTheRestIsAPrefixOfTheTruth(
      @ForAll("contents") NoteContent content, @ForAll @IntRange(max = 6_000) int maxChars) {
    NoteCodec bounded = new NoteCodec(maxChars);
    Encoded encoded = bounded.encode(content);
    assertThat(encoded.text().length()).isLessThanOrEqualTo(maxChars);
    assertThat(encoded.text()).matches("[A-Za-z0-9+/]*");
    CommitNote note = bounded.decode(content.base(), encoded.text());
    if (encoded.wantedChars() <= maxChars) {
      assertThat(encoded.text()).hasSize(encoded.wantedChars());
      Notes.assertSaysAll(note, content);
    } else {
      Notes.assertSaysNothingWrong(note, content);
      assertThat(note.open()).isEqualTo(content.open() && !encoded.text().isEmpty());
    }
  }

  @Property(tries = 300)
  void everyOffsetOfASmallSpanAgreesWithASet(
      @ForAll @IntRange(max = 700) int span,
      @ForAll @IntRange(max = 100) int percent,
      @ForAll Random random) {
    NoteContent content = Notes.of(500, span, i -> random.nextInt(100) < percent);
    Set<Long> finished = new HashSet<>();
    for (long offset = content.base(); offset < content.end(); offset++) {
      finished.add(offset);
    }
    for (long offset : content.unfinished()) {
      finished.remove(offset);
    }
    CommitNote note = codec.decode(500, codec.encode(content).text());
    assertThat(LongStream.range(0, 1_500).filter(note::isDone).boxed())
        .containsExactlyInAnyOrderElementsOf(finished);
    assertThat(note.doneAbove()).isEqualTo(finished.size());
  }

  @Test
  void aNoteThatSaysNothingIsEmpty() {
    Encoded encoded = codec.encode(new NoteContent(false, false, -1, 7, 7, new long[0], List.of()));
    assertThat(encoded).isEqualTo(new Encoded("", 0));
    assertThat(codec.decode(7, encoded.text())).isSameAs(CommitNote.NONE);
  }

  @Test
  void anOpenNoteWithNothingElseIsShort() {
    NoteContent content = new NoteContent(true, false, 5, 7, 7, new long[0], List.of());
    Encoded encoded = codec.encode(content);
    assertThat(encoded.text()).hasSizeLessThan(16).startsWith("OW1");
    Notes.assertSaysAll(codec.decode(7, encoded.text()), content);
  }

  @Test
  void aRecordThatRanAloneIsToldWithItsCrashes() {
    NoteContent content =
        new NoteContent(
            true,
            true,
            2,
            40,
            43,
            new long[] {40, 41},
            List.of(
                new Entry(40, 1, new Deaths(2, 4, 0), true), new Entry(41, 3, Deaths.NONE, false)));
    CommitNote note = codec.decode(40, codec.encode(content).text());
    assertThat(note.alone()).isTrue();
    assertThat(note.started()).containsExactly(40L);
    assertThat(note.deaths(40)).isEqualTo(new Deaths(3, 6, 2));
    assertThat(note.attempts(41)).isEqualTo(3);
    assertThat(note.isDone(42)).isTrue();
    assertThat(note)
        .hasToString(
            "open, alone, leader epoch 2, done above: 1 in 1 runs,"
                + " unfinished with a history: 2, started: 1");
  }

  @Test
  void withTwoStartedRecordsNoneRanAlone() {
    NoteContent content =
        new NoteContent(
            true,
            true,
            2,
            40,
            40,
            new long[0],
            List.of(new Entry(40, 0, Deaths.NONE, true), new Entry(41, 0, Deaths.NONE, true)));
    CommitNote note = codec.decode(40, codec.encode(content).text());
    assertThat(note.alone()).isFalse();
    assertThat(note.started()).containsExactly(40L, 41L);
  }

  @Test
  void moreAttemptsThanAMillionAreWrittenAsAMillion() {
    int most = Integer.MAX_VALUE;
    NoteContent content =
        new NoteContent(
            false,
            false,
            -1,
            0,
            0,
            new long[0],
            List.of(new Entry(9, most, new Deaths(most, most, most), false)));
    CommitNote note = codec.decode(0, codec.encode(content).text());
    assertThat(note.attempts(9)).isEqualTo(1_000_000);
    assertThat(note.deaths(9)).isEqualTo(new Deaths(1_000_000, 1_000_000, 1_000_000));
  }

  @Test
  void offsetsUpToTheLastThereCanBeAreTold() {
    long last = Long.MAX_VALUE - 1;
    NoteContent content =
        new NoteContent(
            true,
            false,
            0,
            0,
            last,
            new long[] {0, last - 5},
            List.of(
                new Entry(last - 5, 1, new Deaths(1, 2, 0), true),
                new Entry(last, 2, Deaths.NONE, false)));
    Notes.assertSaysAll(codec.decode(0, codec.encode(content).text()), content);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.3, 0.5, 0.7, 0.9})
  void aNoteThatIsTooLongUsesTheRoomThereIs(double open) {
    NoteContent content = Notes.allStarted(Notes.random(1_000, 120_000, open, new Random(5)));
    NoteContent fewEntries = Notes.with(content, content.entries().subList(0, 50));
    Encoded encoded = codec.encode(fewEntries);
    assertThat(encoded.wantedChars()).isGreaterThan(BROKER_DEFAULT);
    assertThat(encoded.text().length()).isBetween(BROKER_DEFAULT * 98 / 100, BROKER_DEFAULT);
    CommitNote note = codec.decode(1_000, encoded.text());
    Notes.assertSaysNothingWrong(note, fewEntries);
    assertThat(note.started()).hasSize(50);
    // as many offsets as random bits of that density fit in, within an eighth
    double entropy = -(open * log2(open) + (1 - open) * log2(1 - open));
    long offsets = (long) (3_000 * 8 / entropy);
    assertThat(note.doneAbove()).isGreaterThan((long) (offsets * (1 - open) * 7 / 8));
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  @Test
  void whenTheEntriesDoNotFitThoseThatStoppedTheProcessAreKeptThenTheLowest() {
    Random random = new Random(3);
    long[] all = IntStream.range(0, 20_000).mapToLong(i -> i * 3L).toArray();
    List<Entry> entries =
        IntStream.range(0, all.length)
            .mapToObj(
                i ->
                    i == 15_000
                        ? new Entry(all[i], 2, new Deaths(1, 2, 0), true)
                        : new Entry(all[i], 1 + random.nextInt(100), Deaths.NONE, false))
            .toList();
    NoteContent content = new NoteContent(true, true, 1, 0, 60_000, all, entries);
    Encoded encoded = codec.encode(content);
    assertThat(encoded.wantedChars()).isGreaterThan(20_000);
    CommitNote note = codec.decode(0, encoded.text());
    Notes.assertSaysNothingWrong(note, content);
    assertThat(note.alone()).isTrue();
    assertThat(note.started()).containsExactly(45_000L);
    assertThat(note.deaths(45_000)).isEqualTo(new Deaths(2, 4, 2));
    assertThat(note.doneAbove()).isZero();
    for (int i = 0; i < 1_500; i++) {
      assertThat(note.attempts(all[i])).isEqualTo(entries.get(i).attempts());
    }
    assertThat(note.attempts(all[19_999])).isZero();
  }

  @Test
  void whereOnlyTheFlagsFitTheyAreKeptAndWhereNotTheTextIsEmpty() {
    NoteContent content = Notes.allStarted(Notes.scattered(10, 5_000, 500, new Random(1)));
    Encoded tiny = new NoteCodec(14).encode(content);
    CommitNote note = codec.decode(10, tiny.text());
    assertThat(note.open()).isTrue();
    assertThat(note.leaderEpoch()).isEqualTo(3);
    assertThat(note.doneAbove()).isZero();
    for (int maxChars = 0; maxChars < 12; maxChars++) {
      assertThat(new NoteCodec(maxChars).encode(content))
          .isEqualTo(new Encoded("", tiny.wantedChars()));
    }
  }
}
