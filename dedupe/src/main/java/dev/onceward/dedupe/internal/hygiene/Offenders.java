package dev.onceward.dedupe.internal.hygiene;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Handlers that were found to leave state after their commit, and what: they are checked each time,
 * and what they left once counts as proved when it is there again. Thread-safe.
 */
final class Offenders {
  private static final int MOST_HANDLERS = 1_000;
  private static final int MOST_NAMES = 100;

  private final Map<String, Set<String>> byHandler = new ConcurrentHashMap<>();

  boolean knows(String handler) {
    return !byHandler.isEmpty() && byHandler.containsKey(handler);
  }

  boolean knows(String handler, String name) {
    Set<String> names = byHandler.get(handler);
    return names != null && names.contains(name);
  }

  void add(String handler, Collection<String> names) {
    if (byHandler.size() >= MOST_HANDLERS && !byHandler.containsKey(handler)) {
      return;
    }
    Set<String> known = byHandler.computeIfAbsent(handler, h -> ConcurrentHashMap.newKeySet());
    if (known.size() < MOST_NAMES) {
      known.addAll(names);
    }
  }
}
