package dev.onceward.dedupe.internal.hygiene;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of texts that were read before: applications send few texts, and each often. Full,
 * it takes no more, so that texts with values in them cost time and no memory. Thread-safe.
 */
final class TraitsCache {
  private static final int MOST = 2_000;
  private static final int LONGEST = 10_000;

  private final Map<String, SessionTraits> known = new ConcurrentHashMap<>();

  SessionTraits of(String sql) {
    SessionTraits traits = known.get(sql);
    if (traits == null) {
      traits = SessionTraits.of(sql);
      if (sql.length() <= LONGEST && known.size() < MOST) {
        known.put(sql, traits);
      }
    }
    return traits;
  }
}
