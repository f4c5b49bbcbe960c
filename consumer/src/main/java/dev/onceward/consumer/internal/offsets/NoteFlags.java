package dev.onceward.consumer.internal.offsets;

/** The first byte of a note's body: who wrote it, and which parts follow, in this order. */
final class NoteFlags {

  /** The owner was at work. */
  static final int OPEN = 1;

  /** The one started record ran with nothing beside it. */
  static final int ALONE = 1 << 1;

  /** A leader epoch follows. */
  static final int EPOCH = 1 << 2;

  /** Entries follow. */
  static final int ENTRIES = 1 << 3;

  /** The done set follows, as lengths of runs. */
  static final int RUNS = 1 << 4;

  /** The done set follows, as bits. */
  static final int BITS = 1 << 5;

  static final int ALL = OPEN | ALONE | EPOCH | ENTRIES | RUNS | BITS;

  /** More attempts or crashes than that are written as that. */
  static final int MAX_COUNT = 1_000_000;

  private NoteFlags() {}
}
