package dev.onceward.it.guarantee;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The breaches of each guarantee: how many, and the first few in words. Thread-safe. */
final class Findings {

  private static final int IN_WORDS = 5;

  private final Map<String, Integer> counts = new LinkedHashMap<>();
  private final List<String> words = new ArrayList<>();

  synchronized void breach(Guarantee guarantee, String what) {
    if (counts.merge(guarantee.name(), 1, Integer::sum) <= IN_WORDS) {
      words.add(guarantee.name() + ": " + what);
    }
  }

  synchronized int of(Guarantee guarantee) {
    return counts.getOrDefault(guarantee.name(), 0);
  }

  synchronized boolean isEmpty() {
    return counts.isEmpty();
  }

  @Override
  public synchronized String toString() {
    return counts + "\n  " + String.join("\n  ", words);
  }
}
