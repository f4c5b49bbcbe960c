package dev.onceward.it.guarantee;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** What was published where, noted when the broker has acknowledged it. Thread-safe. */
final class Published {

  /** What must become of a record. */
  enum Fate {
    /** No record of ours is at the offset: a transaction marker, say. */
    NONE,
    HANDLED,
    DEAD_LETTERED,
    /** Its transaction is aborted. */
    ABORTED;

    private int code() {
      return switch (this) {
        case NONE -> 0;
        case HANDLED -> 1;
        case DEAD_LETTERED -> 2;
        case ABORTED -> 3;
      };
    }

    private static Fate of(int code) {
      return switch (code) {
        case 1 -> HANDLED;
        case 2 -> DEAD_LETTERED;
        case 3 -> ABORTED;
        default -> NONE;
      };
    }
  }

  /** Takes a record. */
  @FunctionalInterface
  interface Visitor {
    void visit(TopicPartition partition, long offset, Fate fate);
  }

  private static final class Part {
    final Column fates = new Column();
    final Column lanes = new Column();
    final Column seqs = new Column();
    long end;
  }

  private final Map<TopicPartition, Part> parts = new HashMap<>();
  private final Map<Lane, Integer> lanes = new HashMap<>();
  private final BitSet effects = new BitSet();
  private long records;

  /** Notes a record; {@code effect} if it is to leave a row in the ledger. */
  synchronized void add(Lane lane, long offset, Fate fate, Plan plan, boolean effect) {
    Part part = parts.computeIfAbsent(lane.partition(), p -> new Part());
    part.fates.set(offset, fate.code());
    part.lanes.set(offset, lanes.computeIfAbsent(lane, l -> lanes.size() + 1));
    part.seqs.set(offset, plan.seq());
    part.end = Math.max(part.end, offset + 1);
    if (effect && fate == Fate.HANDLED) {
      effects.set(plan.number());
    }
    if (fate != Fate.ABORTED) {
      records++;
    }
  }

  synchronized Fate fate(TopicPartition partition, long offset) {
    Part part = parts.get(partition);
    return part == null ? Fate.NONE : Fate.of(part.fates.get(offset));
  }

  /** The offset of a lane's record, or -1 if it is not noted. */
  synchronized long offset(Lane lane, int seq) {
    Part part = parts.get(lane.partition());
    Integer index = lanes.get(lane);
    if (part == null || index == null) {
      return -1;
    }
    for (long offset = 0; offset < part.end; offset++) {
      if (part.lanes.get(offset) == index
          && part.seqs.get(offset) == seq
          && part.fates.get(offset) != Fate.NONE.code()) {
        return offset;
      }
    }
    return -1;
  }

  synchronized void forEach(Visitor visitor) {
    parts.forEach(
        (partition, part) -> {
          for (long offset = 0; offset < part.end; offset++) {
            Fate fate = Fate.of(part.fates.get(offset));
            if (fate != Fate.NONE) {
              visitor.visit(partition, offset, fate);
            }
          }
        });
  }

  /** The offsets after the last records noted. */
  synchronized Map<TopicPartition, Long> ends() {
    Map<TopicPartition, Long> ends = new HashMap<>();
    parts.forEach((partition, part) -> ends.put(partition, part.end));
    return ends;
  }

  /** The numbers of the events that must have left one row each. */
  synchronized BitSet effects() {
    return (BitSet) effects.clone();
  }

  /** Records noted, those of aborted transactions not counted. */
  synchronized long records() {
    return records;
  }
}
