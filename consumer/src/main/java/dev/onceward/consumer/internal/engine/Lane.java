package dev.onceward.consumer.internal.engine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /** Works that wait for an event of their key that has not come yet, in offset order. */
  private final List<Work> aside = new ArrayList<>(0);

  /** Whether the last record of the key was given up after all its attempts. */
  boolean givenUp;

  /** Whether it is among the {@link ReadyLanes}. */
  boolean ready;

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

  /** Whether nothing waits in it, nor aside. */
  boolean isEmpty() {
    return head == null && aside.isEmpty();
  }

  /** Drops work that is done. */
  void remove(Work work) {
    unlink(work);
    work.lane = null;
  }

  /** Lets those behind the work go before it, until it is brought back. */
  void setAside(Work work) {
    unlink(work);
    aside.add(work);
  }

  /** Takes all that were set aside back into the lane, right behind its head. */
  List<Work> bringBack() {
    List<Work> back = List.copyOf(aside);
    aside.clear();
    back.forEach(this::insert);
    return back;
  }

  /** As {@link #bringBack()} for one; false when it was not aside. */
  boolean bringBack(Work work) {
    if (!aside.remove(work)) {
      return false;
    }
    insert(work);
    return true;
  }

  /** In offset order, but never before the head, which may be under way. */
  private void insert(Work work) {
    Work before = head;
    if (before == null) {
      head = work;
      tail = work;
      return;
    }
    while (before.next != null && before.next.offset() < work.offset()) {
      before = before.next;
    }
    work.next = before.next;
    before.next = work;
    if (work.next == null) {
      tail = work;
    }
  }

  private void unlink(Work work) {
    Work before = null;
    for (Work each = head; each != null && each != work; each = each.next) {
      before = each;
    }
    Work after = work.next;
    if (before == null) {
      head = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      tail = before;
    }
    work.next = null;
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
