package dev.onceward.consumer.internal.offsets;

import java.util.Arrays;
import java.util.BitSet;
import java.util.zip.Deflater;

/**
 * The done set as bits: bit i of the little-endian bytes up to the end of the body says whether
 * base + i is done. Wins where runs are short. The items are the bytes; the entries are all kept.
 *
 * <p>It is packed by Huffman codes alone, which beat matches on random bits and cost a fifth of the
 * time; what does repeat is left to {@link RunsForm}.
 */
final class BitsForm implements NoteForm {

  /** A Huffman code has at least one bit for each byte. */
  private static final int MAX_RATIO = 8;

  private final NoteHead head;
  private final byte[] bits;

  /**
   * Prepares as much as can fit.
   *
   * @param maxBytes the size of a packed body to stay within
   */
  BitsForm(NoteHead head, DoneRuns done, int maxBytes) {
    this.head = head;
    long most = Math.min((long) maxBytes * MAX_RATIO, Deflate.MAX_INFLATED - headSize(head));
    this.bits = bits(done, head.base(), Math.max(0, most) * Byte.SIZE);
  }

  /** Whether it can be smaller than the size when all is written. */
  static boolean canBeat(int size, NoteHead head, DoneRuns done) {
    if (done.size() == 0) {
      return false;
    }
    long bytes = (done.to(done.size() - 1) - head.base()) / Byte.SIZE + 1;
    return bytes / MAX_RATIO < size && bytes <= Deflate.MAX_INFLATED - headSize(head);
  }

  @Override
  public int items() {
    return bits.length;
  }

  @Override
  public PackedBody packed(int items) {
    ByteWriter out = head.write(head.entries(), NoteFlags.BITS);
    out.write(items == bits.length ? bits : Arrays.copyOf(bits, items));
    return PackedBody.of(out.toByteArray(), Deflater.HUFFMAN_ONLY);
  }

  @Override
  public long coveredTo(int items) {
    return head.base() + (long) items * Byte.SIZE;
  }

  private static int headSize(NoteHead head) {
    return head.write(head.entries(), NoteFlags.BITS).size();
  }

  private static byte[] bits(DoneRuns done, long base, long most) {
    BitSet bits = new BitSet();
    for (int run = 0; run < done.size() && done.from(run) - base < most; run++) {
      bits.set((int) (done.from(run) - base), (int) Math.min(done.to(run) - base, most));
    }
    return bits.toByteArray();
  }
}
