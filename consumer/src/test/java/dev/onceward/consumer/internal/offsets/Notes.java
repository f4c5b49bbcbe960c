package dev.onceward.consumer.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Contents of notes to test with, and what is to hold of the notes made of them. */
final class Notes {

  private static final int MANY = 1 << 30;

  private Notes() {}

  /** A closed note without entries of [base, base + span), where the rest is done. */
  static NoteContent of(long base, long span, LongPredicate unfinished) {
    long[] offsets =
        LongStream.range(base, base + span).filter(o -> unfinished.test(o - base)).toArray();
    return trimmed(false, false, -1, base, base + span, offsets, List.of());
  }

  /** Random records of the span are open, and the first is. */
  static NoteContent scattered(long base, int span, int open, Random random) {
    boolean[] isOpen = new boolean[span];
    isOpen[0] = true;
    for (int left = open - 1; left > 0; ) {
      int index = random.nextInt(span);
      left -= isOpen[index] ? 0 : 1;
      isOpen[index] = true;
    }
    return of(base, span, i -> isOpen[(int) i]);
  }

  /** Every record of the span is open with the given probability, and the first is. */
  static NoteContent random(long base, int span, double open, Random random) {
    return of(base, span, i -> i == 0 || random.nextDouble() < open);
  }

  /** The same with other entries. */
  static NoteContent with(NoteContent content, List<Entry> entries) {
    return new NoteContent(
        true, false, 3, content.base(), content.end(), content.unfinished(), entries);
  }

  /** Each unfinished record is started for the first time. */
  static NoteContent allStarted(NoteContent content) {
    return with(
        content,
        Arrays.stream(content.unfinished())
            .mapToObj(o -> new Entry(o, 0, Deaths.NONE, true))
            .toList());
  }

  /** Ends where the last finished record does. */
  private static NoteContent trimmed(
      boolean open,
      boolean alone,
      int epoch,
      long base,
      long above,
      long[] unfinished,
      List<Entry> entries) {
    long end = above;
    int count = unfinished.length;
    while (count > 0 && unfinished[count - 1] == end - 1) {
      end--;
      count--;
    }
    return new NoteContent(
        open, alone, epoch, base, end, Arrays.copyOf(unfinished, count), entries);
  }

  /** Stretches of all kinds, one after the other, from any base, with entries and flags. */
  static Arbitrary<NoteContent> contents() {
    Arbitrary<List<Stretch>> stretches =
        Combinators.combine(
                Arbitraries.of(Kind.values()),
                Arbitraries.oneOf(
                    Arbitraries.integers().between(1, 40),
                    Arbitraries.integers().between(1, 1_500),
                    Arbitraries.integers().between(1, MANY)),
                Arbitraries.doubles().between(0, 1))
            .as(Stretch::new)
            .list()
            .ofMaxSize(12);
    Arbitrary<Long> bases =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 100_000),
            Arbitraries.longs().between(0, Long.MAX_VALUE / 2),
            // as high as the stretches leave room for
            Arbitraries.just(Long.MAX_VALUE - 14L * MANY));
    Arbitrary<Double> share = Arbitraries.of(0.0, 0.02, 0.5, 1.0);
    return Combinators.combine(
            bases,
            stretches,
            share,
            Arbitraries.integers().between(-1, Integer.MAX_VALUE),
            Arbitraries.of(true, false),
            Arbitraries.randomValue(Random::nextLong))
        .as(Notes::content);
  }

  private static NoteContent content(
      long base, List<Stretch> stretches, double share, int epoch, boolean open, long seed) {
    Random random = new Random(seed);
    LongStream.Builder unfinished = LongStream.builder();
    long position = base;
    for (Stretch stretch : stretches) {
      stretch.addTo(unfinished, position, random);
      position += stretch.length();
    }
    long[] offsets = unfinished.build().toArray();
    List<Entry> entries = new ArrayList<>();
    for (long offset : offsets) {
      if (random.nextDouble() < share) {
        entries.add(entry(offset, random));
      }
    }
    for (long above = position; random.nextInt(4) > 0; above++) {
      above += random.nextInt(MANY / 1000);
      entries.add(entry(above, random));
    }
    boolean alone = entries.stream().filter(Entry::started).count() == 1;
    return trimmed(open, alone, epoch, base, position, offsets, entries);
  }

  private static Entry entry(long offset, Random random) {
    int attempts = random.nextInt(3) > 0 ? random.nextInt(12) : random.nextInt(1_000_001);
    Deaths deaths = random.nextInt(5) > 0 ? Deaths.NONE : deaths(random);
    return new Entry(offset, attempts, deaths, random.nextInt(3) == 0);
  }

  private static Deaths deaths(Random random) {
    int atWork = 1 + random.nextInt(3);
    int suspicion = random.nextInt(2 * atWork + 1);
    return new Deaths(atWork, suspicion, random.nextInt(suspicion + 1));
  }

  private enum Kind {
    DONE,
    OPEN,
    RANDOM,
    STRIPED
  }

  private record Stretch(Kind kind, int length, double density) {

    void addTo(LongStream.Builder unfinished, long from, Random random) {
      // only what is done may be long without being much
      int most = Math.min(length, kind == Kind.DONE ? 0 : 1_500);
      int period = 2 + (int) (density * 20);
      for (int i = 0; i < most; i++) {
        boolean open =
            switch (kind) {
              case DONE -> false;
              case OPEN -> true;
              case RANDOM -> random.nextDouble() < density;
              case STRIPED -> i % period == 0;
            };
        if (open) {
          unfinished.add(from + i);
        }
      }
    }
  }

  /** The note says all there is to say and nothing else. */
  static void assertSaysAll(CommitNote note, NoteContent truth) {
    assertSaysNothingWrong(note, truth);
    assertThat(note.open()).isEqualTo(truth.open());
    assertThat(note.alone()).isEqualTo(truth.alone());
    assertThat(note.leaderEpoch()).isEqualTo(truth.leaderEpoch());
    assertThat(note.doneAbove()).isEqualTo(doneIn(truth, truth.end()));
    assertThat(truth.entries().stream().filter(e -> !saysAll(note, e))).isEmpty();
    assertThat(note.started()).isEqualTo(startedOf(truth));
  }

  /** What the note calls done is the truth up to some offset, and nothing above it. */
  static void assertSaysNothingWrong(CommitNote note, NoteContent truth) {
    long reached = truth.base();
    long count = 0;
    for (long[] run : finishedRuns(truth)) {
      if (!note.isDone(run[0])) {
        break;
      }
      // the last one may be cut short
      long low = run[0];
      long high = run[1];
      while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (note.isDone(middle)) {
          low = middle;
        } else {
          high = middle;
        }
      }
      reached = low + 1;
      count += reached - run[0];
      if (reached < run[1]) {
        break;
      }
    }
    assertThat(note.doneAbove()).isEqualTo(count);
    assertThat(Arrays.stream(truth.unfinished()).filter(note::isDone)).isEmpty();
    for (long outside : new long[] {truth.base() - 1, reached, truth.end(), Long.MAX_VALUE, -1}) {
      assertThat(note.isDone(outside)).as("outside %d", outside).isFalse();
    }
    assertThat(truth.entries().stream().filter(e -> !saysNothingWrong(note, e))).isEmpty();
    Set<Long> started = new HashSet<>(startedOf(truth));
    assertThat(note.started().stream().filter(offset -> !started.contains(offset))).isEmpty();
  }

  private static boolean saysAll(CommitNote note, Entry entry) {
    return note.attempts(entry.offset()) == entry.attempts()
        && note.deaths(entry.offset()).equals(deathsTold(note, entry));
  }

  /** One more, when the note is of an owner that was at it. */
  private static Deaths deathsTold(CommitNote note, Entry entry) {
    boolean died = note.open() && note.started().contains(entry.offset());
    return died ? entry.deaths().oneMore(note.alone()) : entry.deaths();
  }

  private static boolean saysNothingWrong(CommitNote note, Entry entry) {
    int attempts = note.attempts(entry.offset());
    boolean none = note.deaths(entry.offset()).isNone();
    return !note.isDone(entry.offset()) && ((attempts == 0 && none) || saysAll(note, entry));
  }

  private static List<Long> startedOf(NoteContent truth) {
    return truth.entries().stream().filter(Entry::started).map(Entry::offset).toList();
  }

  /** How many offsets below the limit are finished. */
  static long doneIn(NoteContent truth, long limit) {
    return limit
        - truth.base()
        - Arrays.stream(truth.unfinished()).filter(offset -> offset < limit).count();
  }

  /** The stretches between the unfinished offsets, each as first and one past the last. */
  private static List<long[]> finishedRuns(NoteContent truth) {
    List<long[]> runs = new ArrayList<>();
    long position = truth.base();
    for (long offset : truth.unfinished()) {
      if (offset > position) {
        runs.add(new long[] {position, offset});
      }
      position = offset + 1;
    }
    if (truth.end() > position) {
      runs.add(new long[] {position, truth.end()});
    }
    return runs;
  }

  /** How many bytes of heap this thread takes for the work. */
  static long allocatedBy(Runnable work) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    // once before, so that class loading does not count
    work.run();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
