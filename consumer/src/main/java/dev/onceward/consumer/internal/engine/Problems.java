package dev.onceward.consumer.internal.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;

/** What holds work up at present. Each is logged when it begins and when it ends. Thread-safe. */
final class Problems {

  private static final Logger log = ConsumerLog.log;

  private final Map<String, String> current = new ConcurrentSkipListMap<>();

  /** Says that a problem stands; a later text for the same subject replaces the earlier. */
  void raise(String subject, String text) {
    if (current.put(subject, text) == null) {
      log.warn("{}: {}", subject, text);
    } else {
      log.debug("{}: still {}", subject, text);
    }
  }

  /** Says that the subject has no problem any more. */
  void clear(String subject) {
    clear(subject, "over");
  }

  /** As {@link #clear(String)}, in the subject's own words. */
  void clear(String subject, String end) {
    if (current.remove(subject) != null) {
      log.info("{}: {}", subject, end);
    }
  }

  /** The problems, a line each. */
  List<String> lines() {
    return current.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList();
  }
}
