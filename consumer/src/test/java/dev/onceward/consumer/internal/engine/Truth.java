package dev.onceward.consumer.internal.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What is so, whatever the engine believes: which records there are, which are finished, which are
 * being handled, and every commit that was wrong. Thread-safe.
 */
final class Truth {

  private final Map<TopicPartition, Log> logs = new HashMap<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Set<String> running = new HashSet<>();
  private final Map<String, List<Integer>> attempts = new HashMap<>();
  private long returned;
  private int unfinished;
  private int begun;

  private static final class Log {
    final List<Long> offsets = new ArrayList<>();
    final Set<Long> finished = new HashSet<>();
    int head;

    long mayCommit() {
      while (head < offsets.size() && finished.contains(offsets.get(head))) {
        head++;
      }
      return head < offsets.size() ? offsets.get(head) : end();
    }

    long end() {
      return offsets.isEmpty() ? 0 : offsets.get(offsets.size() - 1) + 1;
    }
  }

  synchronized void appended(TopicPartition id, long offset) {
    logs.computeIfAbsent(id, any -> new Log()).offsets.add(offset);
    unfinished++;
  }

  /** The records from the offset on are gone; others may come in their place. */
  synchronized void cutOff(TopicPartition id, long from) {
    Log log = log(id);
    unfinished -=
        (int) log.offsets.stream().filter(o -> o >= from && !log.finished.contains(o)).count();
    log.offsets.removeIf(offset -> offset >= from);
    log.finished.removeIf(offset -> offset >= from);
    log.head = 0;
  }

  synchronized void begun(TopicPartition id, long offset, int attempt) {
    begun++;
    String place = id + "@" + offset;
    if (!running.add(place)) {
      violations.add(place + " is handled twice at once");
    }
    attempts.computeIfAbsent(place, any -> new ArrayList<>()).add(attempt);
  }

  synchronized void ended(TopicPartition id, long offset) {
    running.remove(id + "@" + offset);
  }

  /** The process has died: nothing runs; returns what did. */
  synchronized Set<String> died() {
    Set<String> ran = Set.copyOf(running);
    running.clear();
    return ran;
  }

  /** A handler returned. */
  synchronized void returned(TopicPartition id, long offset) {
    returned++;
    finished(id, offset);
  }

  /** The record's effect has happened, or its dead letter is safe. */
  synchronized void finished(TopicPartition id, long offset) {
    if (log(id).finished.add(offset)) {
      unfinished--;
    }
  }

  synchronized void committing(Map<TopicPartition, OffsetAndMetadata> offsets) {
    offsets.forEach(
        (id, offset) -> {
          long most = log(id).mayCommit();
          if (offset.offset() > most) {
            violations.add("committed " + offset.offset() + " of " + id + ", but may " + most);
          }
        });
  }

  /** The attempts of a record, in the order in which they began. */
  synchronized List<Integer> attempts(TopicPartition id, long offset) {
    return List.copyOf(attempts.getOrDefault(id + "@" + offset, List.of()));
  }

  /** How often each record was begun, by place. */
  synchronized Map<String, Integer> begunByPlace() {
    Map<String, Integer> times = new HashMap<>();
    attempts.forEach((place, list) -> times.put(place, list.size()));
    return times;
  }

  synchronized int begun() {
    return begun;
  }

  synchronized int running() {
    return running.size();
  }

  /** Handlers that have returned. */
  synchronized long returned() {
    return returned;
  }

  /** Records of which neither is so: handled or dead-lettered. */
  synchronized int unfinished() {
    return unfinished;
  }

  synchronized int finished(TopicPartition id) {
    return log(id).finished.size();
  }

  /** The offset after the last record. */
  synchronized long end(TopicPartition id) {
    return log(id).end();
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  private Log log(TopicPartition id) {
    return logs.computeIfAbsent(id, any -> new Log());
  }
}
