package dev.onceward.tracing.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the consumers of each group have done, all added up.
 *
 * <p>A sum over the consumers of the moment would fall when one stops, and lose what it did since
 * the last collection. Here a consumer books what it did more than at its last booking, so totals
 * only grow, whatever the order in which threads book, and stay when it has gone. Thread-safe.
 */
final class CountLedger {

  /** Against groups made up at run time: beyond it, the one that ended first is forgotten. */
  static final int MAX_ENDED_GROUPS = 100;

  /** The totals of one group. */
  record Totals(
      String group,
      Map<String, Long> deliveries,
      long retries,
      Map<String, Long> leaks,
      Map<String, Long> pool) {}

  /** In the order in which they began, and ended ones in the order in which they did. */
  private final Map<String, Group> groups = new LinkedHashMap<>();

  /** Begins the bookings of a consumer that has done nothing yet. */
  synchronized Account open(String name) {
    Group group = groups.computeIfAbsent(name, Group::new);
    group.consumers++;
    return new Account(group);
  }

  synchronized List<Totals> totals() {
    return groups.values().stream()
        .map(
            group ->
                new Totals(
                    group.name,
                    Map.copyOf(group.deliveries),
                    group.retries,
                    Map.copyOf(group.leaks),
                    Map.copyOf(group.pool)))
        .toList();
  }

  private synchronized void book(
      Map<String, Long> account, Map<String, Long> group, Map<String, Long> soFar) {
    soFar.forEach(
        (name, count) -> {
          long more = Math.max(0, count - account.getOrDefault(name, 0L));
          account.merge(name, more, Long::sum);
          group.merge(name, more, Long::sum);
        });
  }

  private synchronized void book(Account account, long retries) {
    long more = Math.max(0, retries - account.retries);
    account.retries += more;
    account.group.retries += more;
  }

  private synchronized void end(Group group) {
    group.consumers--;
    if (group.consumers == 0) {
      groups.remove(group.name);
      groups.put(group.name, group);
      forgetBeyondTheLimit();
    }
  }

  private void forgetBeyondTheLimit() {
    long ended = groups.values().stream().filter(group -> group.consumers == 0).count();
    Iterator<Group> all = groups.values().iterator();
    while (ended > MAX_ENDED_GROUPS && all.hasNext()) {
      if (all.next().consumers == 0) {
        all.remove();
        ended--;
      }
    }
  }

  private static final class Group {

    private final String name;
    private final Map<String, Long> deliveries = new TreeMap<>();
    private final Map<String, Long> leaks = new TreeMap<>();
    private final Map<String, Long> pool = new TreeMap<>();
    private long retries;
    private int consumers;

    Group(String name) {
      this.name = name;
    }
  }

  /** What one consumer has booked. */
  final class Account {

    private final Group group;
    private final Map<String, Long> deliveries = new TreeMap<>();
    private final Map<String, Long> leaks = new TreeMap<>();
    private final Map<String, Long> pool = new TreeMap<>();
    private long retries;

    private Account(Group group) {
      this.group = group;
    }

    /** Books what is more than before, by outcome. */
    void deliveries(Map<String, Long> soFar) {
      // a copy: foreign code is not called under the lock
      book(deliveries, group.deliveries, Map.copyOf(soFar));
    }

    /** Books what is more than before, by kind. */
    void leaks(Map<String, Long> soFar) {
      book(leaks, group.leaks, Map.copyOf(soFar));
    }

    /** Books what is more than before, by figure. */
    void pool(Map<String, Long> soFar) {
      book(pool, group.pool, soFar);
    }

    /** Books what is more than before. */
    void retries(long soFar) {
      book(this, soFar);
    }

    /** Ends the bookings; to be called once. */
    void close() {
      end(group);
    }
  }
}
