package dev.onceward.producer.internal.outbox;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What holds the relay up at present. Each is logged when it begins and ends. Thread-safe. */
final class Problems {
  static final Logger LOG = LoggerFactory.getLogger("dev.onceward.producer.outbox");

  private final Map<String, String> current = new ConcurrentSkipListMap<>();

  /** Says that a problem stands; a later text for the same subject replaces the earlier. */
  void raise(String subject, String text) {
    if (current.put(subject, text) == null) {
      LOG.warn("Outbox relay, {}: {}", subject, text);
    } else {
      LOG.debug("Outbox relay, {}: still {}", subject, text);
    }
  }

  /** Says that the subject has no problem any more. */
  void clear(String subject) {
    if (current.remove(subject) != null) {
      LOG.info("Outbox relay, {}: over", subject);
    }
  }

  /** The problems, a line each. */
  List<String> lines() {
    return current.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList();
  }
}
