package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** Metadata that is foreign, future, damaged or crafted. */
class NoteFuzzTest {

  private static final long BASE = 1_000;

  private final NoteCodec codec = new NoteCodec(4096);

  static Stream<NoteContent> intact() {
    return Stream.of(
        Notes.of(BASE, 10, i -> i == 0),
        Notes.allStarted(Notes.scattered(BASE, 60, 5, new Random(1))),
        Notes.allStarted(Notes.scattered(BASE, 1_000, 64, new Random(2))),
        Notes.random(BASE, 700, 0.5, new Random(3)),
        Notes.random(BASE, 3_000, 0.1, new Random(4)));
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(
      strings = {
        " ",
        "null",
        "{\"v\":1,\"done\":[1,2,3]}",
        "consumer-1@host",
        "YgAzVAAAAAAAAAAAAAAAAA==",
        "bAAKAAAAAAAAAAo=",
        "v1RAQIDBA",
        "OW",
        "OW1",
        "OW1P",
        "OW1Z",
        "OW1PAAAAAA",
        "OW1PAAAAAAA",
        "OW2PAAAAAAAAAAA",
        "OW1 PAAAAAAAAAAA",
        "OW1P====",
        "\u6f22\u5b57\ud83d\ude00"
      })
  void foreignMetadataIsNoNote(@Nullable String text) {
    assertThat(codec.decode(BASE, text)).isSameAs(CommitNote.NONE);
  }

  @Property(tries = 600)
  void anyTextIsNoNote(@ForAll String text, @ForAll long base) {
    assertThat(codec.decode(base, text)).isSameAs(CommitNote.NONE);
    assertThat(codec.decode(base, "OW1P" + text)).isSameAs(CommitNote.NONE);
    assertThat(codec.decode(base, "OW1Z" + text)).isSameAs(CommitNote.NONE);
  }

  @ParameterizedTest
  @MethodSource("intact")
  void aNoteWithOneCharacterChangedIsNoneOrTheSame(NoteContent content) {
    String text = codec.encode(content).text();
    String others = "ABPZaz09+/=- \n~\u00e9";
    for (int i = 0; i < text.length(); i++) {
      for (char other : (others + (char) (text.charAt(i) + 1)).toCharArray()) {
        String changed = text.substring(0, i) + other + text.substring(i + 1);
        CommitNote note = codec.decode(BASE, changed);
        if (note != CommitNote.NONE) {
          Notes.assertSaysAll(note, content);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("intact")
  void aNoteCutOffAnywhereIsNone(NoteContent content) {
    String text = codec.encode(content).text();
    for (int length = 0; length < text.length(); length++) {
      assertThat(codec.decode(BASE, text.substring(0, length))).isSameAs(CommitNote.NONE);
      assertThat(codec.decode(BASE, text.substring(length + 1))).isSameAs(CommitNote.NONE);
    }
    assertThat(codec.decode(BASE, text + text)).isSameAs(CommitNote.NONE);
  }

  @ParameterizedTest
  @MethodSource("intact")
  void aNoteBesideAnotherOffsetIsNone(NoteContent content) {
    String text = codec.encode(content).text();
    for (long base : new long[] {BASE + 1, BASE - 1, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThat(codec.decode(base, text)).isSameAs(CommitNote.NONE);
    }
    for (long base = BASE + 1; base < BASE + 2_000; base++) {
      assertThat(codec.decode(base, text)).isSameAs(CommitNote.NONE);
    }
  }

  @ParameterizedTest
  @MethodSource("intact")
  void aNoteOfAFutureVersionOrFormIsNone(NoteContent content) {
    String text = codec.encode(content).text();
    assertThat(codec.decode(BASE, "OW2" + text.substring(3))).isSameAs(CommitNote.NONE);
    assertThat(codec.decode(BASE, "ow1" + text.substring(3))).isSameAs(CommitNote.NONE);
    assertThat(codec.decode(BASE, "OW1Q" + text.substring(4))).isSameAs(CommitNote.NONE);
  }

  @Property(tries = 1_000)
  void aCraftedBodyWithARightChecksumContradictsNothing(
      @ForAll @Size(max = 200) byte[] body,
      @ForAll @LongRange(min = 0) long base,
      @ForAll @IntRange(max = 63) int flags) {
    byte[] known = body.clone();
    if (known.length > 0) {
      known[0] = (byte) flags;
    }
    assertSane(codec.decode(base, NoteFrame.write(base, new PackedBody(body, false))));
    assertSane(codec.decode(base, NoteFrame.write(base, new PackedBody(known, false))));
    assertSane(codec.decode(base, NoteFrame.write(base, new PackedBody(known, true))));
    assertSane(codec.decode(base, NoteFrame.write(base, deflated(known))));
  }

  @Provide
  Arbitrary<NoteContent> contents() {
    return Notes.contents();
  }

  @Property(tries = 300)
  void aTrueBodyWithBytesChangedAndARightChecksumContradictsNothing(
      @ForAll("contents") NoteContent content, @ForAll Random random)
      throws MalformedNoteException {
    String text = codec.encode(content).text();
    if (text.isEmpty()) {
      return;
    }
    byte[] body = NoteFrame.read(content.base(), text);
    for (int i = 0; i < 10; i++) {
      byte[] changed = Arrays.copyOf(body, body.length - random.nextInt(2));
      for (int j = random.nextInt(3); j >= 0 && changed.length > 0; j--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
      }
      assertSane(
          codec.decode(
              content.base(), NoteFrame.write(content.base(), new PackedBody(changed, false))));
    }
  }

  private static void assertSane(CommitNote note) {
    assertThat(note.leaderEpoch()).isGreaterThanOrEqualTo(-1);
    assertThat(note.doneAbove()).isNotNegative();
    assertThat(note.isDone(-1)).isFalse();
    assertThat(note.isDone(Long.MAX_VALUE)).isFalse();
    assertThat(note.started()).isSorted().doesNotHaveDuplicates();
    assertThat(note.started().stream().filter(note::isDone)).isEmpty();
    assertThat(note.started().stream().filter(offset -> !hasSaneCounts(note, offset))).isEmpty();
    assertThat(note.alone() && note.started().size() != 1).isFalse();
  }

  private static boolean hasSaneCounts(CommitNote note, long offset) {
    // its owner's death comes on top
    return note.attempts(offset) >= 0
        && note.attempts(offset) <= NoteFlags.MAX_COUNT
        && note.deaths(offset).atWork() <= NoteFlags.MAX_COUNT + 1;
  }

  @Test
  void aBodyThatBreaksARuleIsNoneThoughItsChecksumIsRight() {
    int entries = NoteFlags.ENTRIES;
    int runs = NoteFlags.RUNS;
    assertThat(decodeBody(new byte[0])).isSameAs(CommitNote.NONE);
    assertNone("an unknown flag", 64);
    assertNone("another unknown flag", 0xff);
    assertNone("two done sets", runs | NoteFlags.BITS, 1, 1, 1);
    assertNone("bytes after the end", 1, 0);
    assertNone("an epoch too high", NoteFlags.EPOCH, 0xff, 0xff, 0xff, 0xff, 0x0f);
    assertNone("no epoch", NoteFlags.EPOCH);
    assertNone("no entries", entries, 0);
    assertNone("more entries than bytes", entries, 3, 1, 1, 1, 1);
    assertNone("entries without end", entries, 0xff, 0xff, 0xff, 0xff, 0x7f);
    assertNone("attempts too many", entries, 1, 0, 0x84, 0x92, 0xf4, 0x01);
    assertNone("deaths too many", entries, 1, 0, 2, 0xc1, 0x84, 0x3d, 0, 0);
    assertNone("deaths missing", entries, 1, 0, 2);
    assertNone("no deaths", entries, 1, 0, 2, 0, 0, 0);
    assertNone("suspicion missing", entries, 1, 0, 2, 1);
    assertNone("suspicion too great", entries, 1, 0, 2, 1, 0xc1, 0x84, 0x3d, 0);
    assertNone("deaths alone missing", entries, 1, 0, 2, 1, 1);
    assertNone("more deaths alone than suspicion", entries, 1, 0, 2, 1, 1, 2);
    assertNone("alone with none", NoteFlags.ALONE);
    assertNone("alone with two", NoteFlags.ALONE | entries, 2, 0, 0, 1, 1);
    assertNone("no runs", runs, 0);
    assertNone("runs without end", runs, 0xff, 0xff, 0x7f, 1, 1);
    assertNone("an empty run", runs, 1, 1, 0);
    assertNone("runs that touch", runs, 2, 1, 0, 1, 1);
    assertNone("done and not done", entries | runs, 1, 1, 4, 1, 1, 1);
    assertNone("64 bits", runs, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
  }

  @Test
  void theRulesLetRightBodiesPass() {
    CommitNote entry = decodeBody(bytes(NoteFlags.ENTRIES, 1, 0, 0x80, 0x92, 0xf4, 0x01));
    assertThat(entry.attempts(BASE)).isEqualTo(1_000_000);
    CommitNote both = decodeBody(bytes(NoteFlags.ENTRIES | NoteFlags.RUNS, 1, 0, 5, 1, 1, 1));
    assertThat(both.started()).containsExactly(BASE);
    assertThat(both.isDone(BASE + 1)).isTrue();
    assertThat(both.doneAbove()).isEqualTo(1);
  }

  @Test
  void lengthsPastTheLastOffsetAreNone() {
    ByteWriter runs = new ByteWriter(64);
    runs.write(NoteFlags.RUNS);
    runs.writeVarint(1);
    runs.writeVarint(1);
    runs.writeVarint(Long.MAX_VALUE - 1);
    assertThat(decodeBody(runs.toByteArray())).isSameAs(CommitNote.NONE);
    ByteWriter entries = new ByteWriter(64);
    entries.write(NoteFlags.ENTRIES);
    entries.writeVarint(1);
    entries.writeVarint(Long.MAX_VALUE - BASE);
    entries.writeVarint(1);
    assertThat(decodeBody(entries.toByteArray())).isSameAs(CommitNote.NONE);
    String bits =
        NoteFrame.write(Long.MAX_VALUE - 3, new PackedBody(bytes(NoteFlags.BITS, 0b10000), false));
    assertThat(codec.decode(Long.MAX_VALUE - 3, bits)).isSameAs(CommitNote.NONE);
  }

  @Test
  void runsOfBillionsCostNothing() {
    ByteWriter out = new ByteWriter(64);
    out.write(NoteFlags.RUNS);
    out.writeVarint(2);
    out.writeVarint(3_000_000_000L);
    out.writeVarint(2_000_000_000L);
    out.writeVarint(1L << 61);
    out.writeVarint(1L << 60);
    byte[] body = out.toByteArray();
    assertThat(Notes.allocatedBy(() -> decodeBody(body))).isLessThan(8_000);
    CommitNote note = decodeBody(body);
    assertThat(note.doneAbove()).isEqualTo((1L << 61) + (1L << 60));
    assertThat(note.isDone(BASE + 2_999_999_999L)).isFalse();
    assertThat(note.isDone(BASE + 3_000_000_000L)).isTrue();
  }

  @Test
  void aDeflateBombIsNoneAndCostsLittle() {
    byte[] zeros = new byte[10 << 20];
    zeros[0] = NoteFlags.BITS;
    Arrays.fill(zeros, 1, zeros.length, (byte) 0x55);
    String text = NoteFrame.write(BASE, deflated(zeros));
    assertThat(text.length()).isLessThan(NoteFrame.MAX_CHARS);
    assertThat(codec.decode(BASE, text)).isSameAs(CommitNote.NONE);
    assertThat(Notes.allocatedBy(() -> codec.decode(BASE, text))).isLessThan(500_000);
  }

  @Test
  void theMostThatANoteCanInflateToIsReadWithinBounds() {
    byte[] stripes = new byte[Deflate.MAX_INFLATED];
    Arrays.fill(stripes, (byte) 0x55);
    stripes[0] = NoteFlags.BITS;
    String text = NoteFrame.write(BASE, deflated(stripes));
    assertThat(codec.decode(BASE, text).doneAbove()).isEqualTo((Deflate.MAX_INFLATED - 1) * 4L);
    assertThat(Notes.allocatedBy(() -> codec.decode(BASE, text))).isLessThan(20_000_000);
    byte[] oneMore = Arrays.copyOf(stripes, stripes.length + 1);
    assertThat(codec.decode(BASE, NoteFrame.write(BASE, deflated(oneMore))))
        .isSameAs(CommitNote.NONE);
  }

  @Test
  void deflatedBytesThatEndEarlyOrGoOnAreNone() {
    byte[] body = new byte[300];
    body[0] = NoteFlags.BITS;
    new Random(1).nextBytes(body);
    body[0] = NoteFlags.BITS;
    byte[] whole = deflated(body).bytes();
    assertThat(codec.decode(BASE, NoteFrame.write(BASE, new PackedBody(whole, true))).doneAbove())
        .isPositive();
    for (int length = 0; length < whole.length; length++) {
      PackedBody cut = new PackedBody(Arrays.copyOf(whole, length), true);
      assertThat(codec.decode(BASE, NoteFrame.write(BASE, cut))).isSameAs(CommitNote.NONE);
    }
    PackedBody longer = new PackedBody(Arrays.copyOf(whole, whole.length + 1), true);
    assertThat(codec.decode(BASE, NoteFrame.write(BASE, longer))).isSameAs(CommitNote.NONE);
  }

  @Test
  void aTextLongerThanAnyNoteIsNotLookedAt() {
    String text = "OW1P" + "A".repeat(50_000_000);
    assertThat(codec.decode(BASE, text)).isSameAs(CommitNote.NONE);
    assertThat(Notes.allocatedBy(() -> codec.decode(BASE, text))).isLessThan(2_000);
  }

  @Test
  void noneKnowsNothing() {
    assertThat(CommitNote.NONE.open()).isFalse();
    assertThat(CommitNote.NONE.alone()).isFalse();
    assertThat(CommitNote.NONE.leaderEpoch()).isEqualTo(-1);
    assertThat(CommitNote.NONE.isDone(0)).isFalse();
    assertThat(CommitNote.NONE.attempts(0)).isZero();
    assertThat(CommitNote.NONE.deaths(0)).isEqualTo(Deaths.NONE);
    assertThat(CommitNote.NONE.started()).isEmpty();
    assertThat(CommitNote.NONE.doneAbove()).isZero();
  }

  private void assertNone(String rule, int... body) {
    assertThat(decodeBody(bytes(body))).as(rule).isSameAs(CommitNote.NONE);
  }

  private CommitNote decodeBody(byte[] body) {
    return codec.decode(BASE, NoteFrame.write(BASE, new PackedBody(body, false)));
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  /** Deflated whatever that brings, unlike what the codec does. */
  private static PackedBody deflated(byte[] body) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    deflater.setInput(body);
    deflater.finish();
    byte[] buffer = new byte[body.length + 100];
    int length = deflater.deflate(buffer);
    deflater.end();
    return new PackedBody(Arrays.copyOf(buffer, length), true);
  }
}
