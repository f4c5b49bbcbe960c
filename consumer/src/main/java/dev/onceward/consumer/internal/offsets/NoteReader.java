package dev.onceward.consumer.internal.offsets;

import dev.onceward.consumer.internal.offsets.NoteContent.Entry;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Reads the body of a note. Whatever it holds, the cost is in proportion to its bytes. */
final class NoteReader {

  private static final int MAX_MARKED = (NoteFlags.MAX_COUNT << NoteHead.ATTEMPTS_SHIFT) | 3;

  private final long base;
  private final ByteReader in;

  private NoteReader(long base, byte[] body) {
    this.base = base;
    this.in = new ByteReader(body);
  }

  static CommitNote read(long base, byte[] body) throws MalformedNoteException {
    return new NoteReader(base, body).read();
  }

  private CommitNote read() throws MalformedNoteException {
    int flags = in.read();
    require((flags & ~NoteFlags.ALL) == 0, "flags that are not known");
    boolean hasRuns = (flags & NoteFlags.RUNS) != 0;
    boolean hasBits = (flags & NoteFlags.BITS) != 0;
    require(!hasRuns || !hasBits, "two done sets");
    int epoch =
        (flags & NoteFlags.EPOCH) == 0 ? -1 : in.readVarint(Integer.MAX_VALUE, "leader epoch");
    List<Entry> entries = (flags & NoteFlags.ENTRIES) == 0 ? List.of() : readEntries();
    DoneRuns done = hasRuns ? readRuns() : hasBits ? readBits() : DoneRuns.NONE;
    require(in.remaining() == 0, "bytes after its end");
    for (Entry entry : entries) {
      require(!done.contains(entry.offset()), "a record that is done and is not");
    }
    CommitNote note =
        new CommitNote(
            (flags & NoteFlags.OPEN) != 0, (flags & NoteFlags.ALONE) != 0, epoch, done, entries);
    require(!note.alone() || note.started().size() == 1, "not one record that ran alone");
    return note;
  }

  private List<Entry> readEntries() throws MalformedNoteException {
    // each takes a byte in the first column and one in the second
    int count = in.readVarint(in.remaining() / 2, "entries");
    require(count > 0, "no entries");
    long[] offsets = new long[count];
    long next = base;
    for (int i = 0; i < count; i++) {
      offsets[i] = plus(next, in.readVarint());
      next = plus(offsets[i], 1);
    }
    int[] marked = new int[count];
    for (int i = 0; i < count; i++) {
      marked[i] = in.readVarint(MAX_MARKED, "attempts");
    }
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      boolean crashed = (marked[i] & NoteHead.CRASHED) != 0;
      Deaths deaths = crashed ? readDeaths() : Deaths.NONE;
      boolean started = (marked[i] & NoteHead.STARTED) != 0;
      entries.add(new Entry(offsets[i], marked[i] >>> NoteHead.ATTEMPTS_SHIFT, deaths, started));
    }
    return entries;
  }

  private Deaths readDeaths() throws MalformedNoteException {
    int atWork = in.readVarint(NoteFlags.MAX_COUNT, "deaths");
    require(atWork > 0, "no deaths");
    int suspicion = in.readVarint(NoteFlags.MAX_COUNT, "suspicion");
    return new Deaths(atWork, suspicion, in.readVarint(suspicion, "deaths alone"));
  }

  private DoneRuns readRuns() throws MalformedNoteException {
    // each takes a byte in either column
    int count = in.readVarint(in.remaining() / 2, "runs");
    require(count > 0, "no runs");
    long[] before = new long[count];
    for (int i = 0; i < count; i++) {
      before[i] = in.readVarint();
      require(i == 0 || before[i] > 0, "runs that touch");
    }
    DoneRuns.Builder runs = new DoneRuns.Builder(count);
    long position = base;
    for (int i = 0; i < count; i++) {
      long from = plus(position, before[i]);
      long length = in.readVarint();
      require(length > 0, "an empty run");
      position = plus(from, length);
      runs.add(from, position);
    }
    return runs.build();
  }

  private DoneRuns readBits() throws MalformedNoteException {
    BitSet bits = BitSet.valueOf(in.readRest());
    plus(base, bits.length());
    DoneRuns.Builder runs = new DoneRuns.Builder(16);
    int from = bits.nextSetBit(0);
    while (from >= 0) {
      int to = bits.nextClearBit(from);
      runs.add(base + from, base + to);
      from = bits.nextSetBit(to);
    }
    return runs.build();
  }

  private static long plus(long offset, long distance) throws MalformedNoteException {
    require(distance <= Long.MAX_VALUE - offset, "offsets past the last there can be");
    return offset + distance;
  }

  private static void require(boolean holds, String what) throws MalformedNoteException {
    if (!holds) {
      throw new MalformedNoteException(what);
    }
  }
}
