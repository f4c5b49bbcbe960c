package dev.onceward.consumer.internal.offsets;

import java.util.zip.Deflater;

/**
 * The done set as lengths of runs: how many, then a column of what is not done before each, then a
 * column of what is. The items are the entries, then the runs.
 */
final class RunsForm implements NoteForm {

  private final NoteHead head;
  private final DoneRuns done;

  RunsForm(NoteHead head, DoneRuns done) {
    this.head = head;
    this.done = done;
  }

  @Override
  public int items() {
    // an item takes two bytes or more: with more items no reader would inflate it
    return (int) Math.min((long) head.entries() + done.size(), Deflate.MAX_INFLATED / 2);
  }

  @Override
  public PackedBody packed(int items) {
    int entries = Math.min(items, head.entries());
    return packed(entries, items - entries);
  }

  /** The note with all that is known. */
  PackedBody packed() {
    return packed(head.entries(), done.size());
  }

  @Override
  public long coveredTo(int items) {
    return items <= head.entries() ? head.base() : done.to(items - head.entries() - 1);
  }

  private PackedBody packed(int entries, int runs) {
    ByteWriter out = head.write(entries, runs == 0 ? 0 : NoteFlags.RUNS);
    if (runs > 0) {
      out.writeVarint(runs);
      long position = head.base();
      for (int run = 0; run < runs; run++) {
        out.writeVarint(done.from(run) - position);
        position = done.to(run);
      }
      for (int run = 0; run < runs; run++) {
        out.writeVarint(done.length(run));
      }
    }
    // short matches cost more than they save among such small numbers
    return PackedBody.of(out.toByteArray(), Deflater.FILTERED);
  }
}
