package dev.onceward.envelope.internal;

import dev.onceward.envelope.Finding;
import dev.onceward.envelope.Finding.Severity;
import dev.onceward.envelope.TopicUse;
import dev.onceward.envelope.TopicUse.Role;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What must hold for a topic to do its job. */
final class TopicChecks {
  /** What a dead letter adds to the headers of its record, at most. */
  private static final int DEAD_LETTER_HEADERS = 8 * 1024;

  private final TopicUse use;
  private final TopicState topic;
  private final @Nullable TopicState source;
  private final List<Finding> findings;

  TopicChecks(TopicUse use, TopicState topic, @Nullable TopicState source, List<Finding> findings) {
    this.use = use;
    this.topic = topic;
    this.source = source;
    this.findings = findings;
  }

  void run() {
    partitions();
    cleanup();
    retention();
    replicas();
    if (use.role() == Role.DEAD_LETTERS && source != null) {
      besideSource(source);
    }
  }

  private void partitions() {
    if (topic.partitions() < use.minPartitions()) {
      warn(
          "it has %d partition(s), so at most that many consumers share the work, and %d are wanted: add partitions while the topic is empty (later that moves keys)"
              .formatted(topic.partitions(), use.minPartitions()));
    }
  }

  private void cleanup() {
    boolean compacted = topic.isCompacted();
    switch (use.role()) {
      case EVENTS -> {
        if (compacted) {
          error(
              "cleanup.policy=%s removes all but the latest event of a key, handled or not, and takes an event without data for a deletion: set cleanup.policy=delete"
                  .formatted(topic.cleanupPolicy()));
        }
      }
      case DEAD_LETTERS -> {
        if (compacted) {
          error(
              "cleanup.policy=%s removes all but the latest dead letter of a key: set cleanup.policy=delete"
                  .formatted(topic.cleanupPolicy()));
        }
      }
      case LATEST_STATE -> {
        if (!compacted) {
          error(
              "cleanup.policy=%s deletes the state of keys that have not changed for a while: set cleanup.policy=compact"
                  .formatted(topic.cleanupPolicy()));
        }
      }
    }
  }

  private void retention() {
    Duration retention = topic.retention();
    if (use.role() != Role.LATEST_STATE && retention.compareTo(use.minRetention()) < 0) {
      warn(
          "retention.ms=%d keeps records for %s, and an outage of %s must lose nothing: raise retention.ms to %d"
              .formatted(
                  retention.toMillis(),
                  retention,
                  use.minRetention(),
                  use.minRetention().toMillis()));
    }
    if (use.role() != Role.LATEST_STATE && topic.hasSizeLimit()) {
      warn(
          "retention.bytes deletes records by size, which a burst can reach before they are handled: set retention.bytes=-1 and size the disk for retention.ms");
    }
  }

  private void replicas() {
    int replicas = topic.replicas();
    int inSync = topic.minInsyncReplicas();
    if (replicas == 1) {
      warn("it has one replica, so one lost disk loses events: use replication factor 3");
    }
    if (inSync > replicas) {
      error(
          "min.insync.replicas=%d is more than its %d replica(s), so acks=all can never write: lower it or add replicas"
              .formatted(inSync, replicas));
    } else if (replicas > 1 && inSync == replicas) {
      warn(
          "min.insync.replicas=%d needs all %d replicas, so one broker down stops writing: lower it to %d"
              .formatted(inSync, replicas, replicas - 1));
    } else if (replicas > 2 && inSync == 1) {
      warn(
          "min.insync.replicas=1 acknowledges what a single broker has, so its loss loses acknowledged events: set min.insync.replicas=2");
    }
  }

  private void besideSource(TopicState from) {
    String name = Objects.requireNonNullElse(use.source(), "its source");
    if (from.isDeletedByAge() && topic.retention().compareTo(from.retention()) < 0) {
      warn(
          "dead letters (retention.ms=%d) go before the records of %s (retention.ms=%d) do: raise retention.ms to at least that"
              .formatted(topic.retention().toMillis(), name, from.retention().toMillis()));
    }
    long needed = from.maxMessageBytes() + DEAD_LETTER_HEADERS;
    if (topic.maxMessageBytes() < needed) {
      warn(
          "max.message.bytes=%d does not hold the largest record of %s with the headers of a dead letter: raise it to %d"
              .formatted(topic.maxMessageBytes(), name, needed));
    }
  }

  private void error(String message) {
    findings.add(new Finding(use.topic(), message, Severity.ERROR));
  }

  private void warn(String message) {
    findings.add(new Finding(use.topic(), message, Severity.WARNING));
  }
}
