package dev.onceward.consumer.internal.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The waiting work of one key of a partition, in offset order; the first of it may be under way.
 * Equal to a lane of the same key. Guarded by the lock of {@link Lanes}.
 */
final class Lane {

  private static final byte[] NO_KEY = new byte[0];

  private final byte[] key;
  private final boolean keyed;
  private final int hash;
  private @Nullable Work head;
  private @Nullable Work tail;

  /** Whether the last record of the key was given up after all its attempts. */
  boolean givenUp;

  private Lane(byte[] key, boolean keyed) {
    this.key = key;
    this.keyed = keyed;
    this.hash = Arrays.hashCode(key);
  }

  /** A lane of a key; the empty key is one too. */
  static Lane of(byte[] key) {
    return new Lane(key, true);
  }

  /** A lane of records without a key. */
  static Lane keyless() {
    return new Lane(NO_KEY, false);
  }

  /** A lane of one record without a key, which waits for no other than itself. */
  static Lane ofOne(long offset) {
    return new Lane(ByteBuffer.allocate(Long.BYTES).putLong(offset).array(), false);
  }

  boolean isKeyed() {
    return keyed;
  }

  /** Appends work; true when the lane was empty. */
  boolean append(Work work) {
    work.lane = this;
    Work last = tail;
    tail = work;
    if (last == null) {
      head = work;
      return true;
    }
    last.next = work;
    return false;
  }

  @Nullable Work head() {
    return head;
  }

  /** Drops the head and returns what follows it. */
  @Nullable Work removeHead() {
    Work first = head;
    if (first == null) {
      return null;
    }
    head = first.next;
    first.next = null;
    first.lane = null;
    if (head == null) {
      tail = null;
    }
    return head;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Lane lane
        && hash == lane.hash
        && keyed == lane.keyed
        && Arrays.equals(key, lane.key);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
