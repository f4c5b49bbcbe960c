package dev.onceward.consumer.internal.engine;

import dev.onceward.consumer.internal.offsets.NoteCodec;
import dev.onceward.consumer.internal.offsets.NoteCodec.Encoded;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.slf4j.Logger;

/**
 * Writes what is to be committed: the offset, and beside it what is done above it, what has failed
 * how often, and what is at work. Confined to the poll thread.
 */
final class Drafts {

  private static final Logger log = ConsumerLog.log;

  /** What the broker takes, unless {@code offset.metadata.max.bytes} says less. */
  private static final int MAX_CHARS = 4096;

  /** Below this there is no room for a note that says anything. */
  private static final int MIN_CHARS = 32;

  /** Records of a partition that may be named before they start, and have not ended. */
  private static final int MOST_MARKED = 64;

  /** Offsets that a commit moves on after which it does not wait for its interval. */
  private static final long FAR = 100_000;

  private final Lanes lanes;
  private final Suspects suspects;
  private final Consumer<Partition> owned;
  private int maxChars = MAX_CHARS;
  private NoteCodec codec = new NoteCodec(MAX_CHARS);

  /**
   * Creates it.
   *
   * @param owned gets each ownership whose first commit has arrived, or the first one since its
   *     fence was refused
   */
  Drafts(Lanes lanes, Suspects suspects, Consumer<Partition> owned) {
    this.lanes = lanes;
    this.owned = owned;
    this.suspects = suspects;
  }

  /**
   * A commit of one partition.
   *
   * @param marked what it names for the first time, and what may start once it has arrived
   * @param goesOn whether its ownership goes on
   */
  record Draft(Partition partition, OffsetAndMetadata offset, List<Work> marked, boolean goesOn) {}

  /** What these partitions have to commit that their last commit did not say. */
  List<Draft> write(Collection<Partition> partitions, boolean goesOn) {
    List<Draft> drafts = new ArrayList<>();
    for (Partition partition : partitions) {
      OffsetAndMetadata base = partition.progress().committable();
      if (base != null) {
        Draft draft = write(partition, base, goesOn);
        boolean news = !draft.offset().equals(partition.committed()) || !draft.marked().isEmpty();
        if (news || partition.isRefused()) {
          drafts.add(draft);
        }
      }
    }
    return drafts;
  }

  private Draft write(Partition partition, OffsetAndMetadata base, boolean goesOn) {
    // who ends the process in a handler leaves in no good order: it would do so again and again
    boolean open = goesOn || partition.progress().endsTheProcess();
    Work alone = suspects.alone();
    List<Work> marked = goesOn && alone == null ? mark(partition) : List.of();
    if (maxChars < MIN_CHARS) {
      return new Draft(partition, base, marked, goesOn);
    }
    Encoded note =
        codec.encode(
            partition
                .progress()
                .content(
                    base.offset(),
                    open,
                    open && alone != null && alone.partition() == partition,
                    work -> open && (alone == null ? work.isAtWork() : work == alone)));
    partition.noteChars(note.wantedChars());
    OffsetAndMetadata offset =
        new OffsetAndMetadata(base.offset(), base.leaderEpoch(), note.text());
    return new Draft(partition, offset, named(marked, offset, note), goesOn);
  }

  /**
   * What may start once the commit has arrived: of a note that was cut, only what is left in it.
   */
  private List<Work> named(List<Work> marked, OffsetAndMetadata offset, Encoded note) {
    if (note.wantedChars() <= note.text().length()) {
      return marked;
    }
    Set<Long> told = Set.copyOf(codec.decode(offset.offset(), note.text()).started());
    return told.isEmpty()
        ? marked
        : marked.stream().filter(work -> told.contains(work.offset())).toList();
  }

  /** Names what is about to start, and beside it what follows, so that few commits are enough. */
  private List<Work> mark(Partition partition) {
    if (!lanes.hasUnmarked(partition)) {
      return List.of();
    }
    // those that a commit has named which did not arrive are named again
    List<Work> marked = partition.progress().markedInVain();
    int room = MOST_MARKED - partition.progress().marked();
    for (Work head : lanes.unmarked(partition, MOST_MARKED)) {
      if (!head.marked && room > 0) {
        head.marked = true;
        marked.add(head);
        room--;
      }
    }
    // followers of a key that waits for long must leave room for the heads of others
    partition.progress().mark(room - MOST_MARKED / 2, marked);
    return marked;
  }

  /** Whether a partition waits for its first commit, or work for one that names it. */
  boolean areUrgent(Collection<Partition> partitions) {
    for (Partition partition : partitions) {
      if (isUrgent(partition)) {
        return true;
      }
    }
    return false;
  }

  private boolean isUrgent(Partition partition) {
    OffsetAndMetadata last = partition.committed();
    if (partition.isRefused() && !partition.awaitsFence()) {
      return true;
    }
    if (last == null) {
      return partition.progress().unfinished() > 0;
    }
    OffsetAndMetadata next = partition.progress().committable();
    boolean far = next != null && next.offset() - last.offset() >= FAR;
    return far || lanes.hasUnmarked(partition);
  }

  /** The broker has taken it. */
  void arrived(Draft draft) {
    Partition partition = draft.partition();
    boolean first = partition.committed() == null;
    boolean again = partition.isRefused() && !partition.awaitsFence();
    partition.committed(draft.offset());
    if (draft.goesOn() && (first || again)) {
      owned.accept(partition);
    }
    lanes.acquit(draft.marked());
  }

  /** The broker takes no notes of this size: half of it, down to none. */
  void shorten() {
    maxChars /= 2;
    if (maxChars >= MIN_CHARS) {
      codec = new NoteCodec(maxChars);
    }
    log.warn(
        "the broker takes no {} characters beside an offset; from now on {}. What does not fit is"
            + " redelivered after a restart; raise the broker's offset.metadata.max.bytes",
        maxChars * 2,
        maxChars < MIN_CHARS ? "none are written" : "up to " + maxChars);
  }

  /** The most that a note may have, in characters. */
  int maxChars() {
    return maxChars;
  }
}
