package dev.onceward.consumer.internal.engine;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What this process has left beside the offsets of partitions that were taken from it. When it
 * finds that again, no owner has died, although the note says that one was still at work. Confined
 * to the poll thread.
 */
final class OwnNotes {

  /** Of each partition, what may stand there. */
  private final Map<TopicPartition, Set<OffsetAndMetadata>> left = new HashMap<>();

  /** The ownership ends; what it has sent may have arrived, or not. */
  void leave(Partition partition) {
    Set<OffsetAndMetadata> possible = new HashSet<>();
    OffsetAndMetadata committed = partition.committed();
    if (committed != null) {
      possible.add(committed);
    } else {
      possible.addAll(left.getOrDefault(partition.id(), Set.of()));
    }
    OffsetAndMetadata sent = partition.sent();
    if (sent != null) {
      possible.add(sent);
    }
    if (!possible.isEmpty()) {
      left.put(partition.id(), possible);
    }
  }

  /** Whether what was found is what this process has left; it forgets whatever else it was. */
  boolean isLast(TopicPartition partition, @Nullable OffsetAndMetadata found) {
    Set<OffsetAndMetadata> possible = left.remove(partition);
    if (possible == null || found == null) {
      return false;
    }
    for (OffsetAndMetadata own : possible) {
      if (own.offset() == found.offset() && own.metadata().equals(found.metadata())) {
        left.put(partition, Set.of(own));
        return true;
      }
    }
    return false;
  }
}
