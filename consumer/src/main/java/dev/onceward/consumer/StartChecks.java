package dev.onceward.consumer;

import dev.onceward.consumer.internal.failure.DeadLetters.DeadLetterTopic;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.handler.VersionRule;
import dev.onceward.consumer.internal.source.Topics;
import dev.onceward.consumer.internal.source.Topics.Topic;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.dedupe.hygiene.PoolFigures;
import dev.onceward.dedupe.hygiene.PoolUsage;
import dev.onceward.producer.internal.KafkaAdvice;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is looked at before a consumer reads anything; each failure is one line. All checks share
 * one budget of time, which begins to run when this is made.
 */
final class StartChecks {

  private static final Logger log = LoggerFactory.getLogger(StartChecks.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

  private final long deadline;
  private final KafkaAdvice advice;

  StartChecks(Duration timeout, KafkaAdvice advice) {
    this.deadline = System.nanoTime() + timeout.toNanos();
    this.advice = advice;
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(deadline - System.nanoTime(), 1_000_000));
  }

  /** Checks the database of the inbox. */
  void checkInbox(ConsumerConfig config) {
    Inbox inbox = config.inbox();
    if (inbox == null) {
      return;
    }
    try {
      inbox.verify(left());
    } catch (InboxUnavailableException e) {
      throw new ConsumerStartException(String.valueOf(e.getMessage()), e);
    }
    config.routes().all().forEach(route -> checkGuardedRow(route, inbox));
    inbox
        .pool()
        .flatMap(PoolFigures::usage)
        .map(PoolUsage::max)
        .filter(max -> max < config.concurrency())
        .ifPresent(
            max ->
                log.warn(
                    "concurrency is {}, but the pool of the inbox has {} connections at most, so"
                        + " that handlers wait for one; raise the pool's maximumPoolSize to {} or"
                        + " lower concurrency to {}",
                    config.concurrency(),
                    max,
                    config.concurrency(),
                    max));
  }

  private void checkGuardedRow(Route route, Inbox inbox) {
    VersionRule versions = route.versions();
    if (versions == null || versions.row() == null) {
      return;
    }
    try {
      inbox.verify(versions.row(), left());
    } catch (InboxUnavailableException e) {
      throw new ConsumerStartException(route.name() + ": " + e.getMessage(), e);
    }
  }

  /**
   * What is known of the topics that are read.
   *
   * @param ids their ids
   * @param deadLetters their dead-letter topics
   */
  record CheckedTopics(Map<String, String> ids, Map<String, DeadLetterTopic> deadLetters) {}

  /** Checks the topics, and creates dead-letter topics that are missing. */
  CheckedTopics checkTopics(ConsumerConfig config) {
    Set<String> topics = config.routes().topics();
    Admin admin = null;
    try {
      admin = Admin.create(config.properties().forAdmin(left()));
      Topics looked = new Topics(admin, left());
      Map<String, Topic> found = looked.find(topics);
      Set<String> missing = new TreeSet<>(topics);
      missing.removeAll(found.keySet());
      if (!missing.isEmpty()) {
        throw new ConsumerStartException(
            "topics: "
                + String.join(", ", missing)
                + " does not exist; create it, or correct the topics of the handlers",
            null);
      }
      compareWindow(config, looked);
      Map<String, String> ids = new TreeMap<>();
      found.forEach((topic, its) -> ids.put(topic, its.id()));
      return new CheckedTopics(ids, deadLetterTopics(looked, found, config));
    } catch (ConsumerStartException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConsumerStartException("interrupted while starting", e);
    } catch (InvalidTopicException e) {
      throw new ConsumerStartException(
          "topics: " + String.join(", ", e.invalidTopics()) + ": " + advice.explain(e), e);
    } catch (Exception e) {
      throw new ConsumerStartException(advice.explain(e), advice.safeCause(e));
    } finally {
      if (admin != null) {
        // without a limit it would wait for calls that nobody waits for any more
        admin.close(CLOSE_TIMEOUT);
      }
    }
  }

  /** An event that outlives the memory of the inbox has an outcome of its own; better none has. */
  private static void compareWindow(ConsumerConfig config, Topics looked) throws Exception {
    Duration window = config.inbox() == null ? null : config.inbox().window().orElse(null);
    Set<String> topics = config.topicsOf(Idempotency.EVENT);
    if (window == null || topics.isEmpty()) {
      return;
    }
    looked
        .retentions(topics)
        .forEach(
            (topic, retention) -> {
              if (retention.isEmpty() || retention.get().compareTo(window) > 0) {
                log.warn(
                    "topic {} keeps records {}, but the inbox remembers events for {} only; what is"
                        + " read when it is older is treated as JdbcInbox.Builder.beyondWindow says."
                        + " Lengthen the window of the inbox or shorten the topic's retention.ms",
                    topic,
                    retention.map(StartChecks::inWords).orElse("for ever"),
                    inWords(window));
              }
            });
  }

  /** Days and hours, where they are not too coarse. */
  static String inWords(Duration duration) {
    if (duration.toMinutes() * 60 != duration.toSeconds() || duration.toMinutes() == 0) {
      return duration.toMillis() % 1000 == 0
          ? duration.toSeconds() + " s"
          : duration.toMillis() + " ms";
    }
    StringJoiner words = new StringJoiner(" ");
    add(words, duration.toDays(), "day");
    add(words, duration.toHoursPart(), "hour");
    add(words, duration.toMinutesPart(), "minute");
    return words.toString();
  }

  private static void add(StringJoiner words, long count, String unit) {
    if (count > 0) {
      words.add(count + " " + unit + (count == 1 ? "" : "s"));
    }
  }

  private static Map<String, DeadLetterTopic> deadLetterTopics(
      Topics looked, Map<String, Topic> sources, ConsumerConfig config) throws Exception {
    Map<String, String> sourceByName = new TreeMap<>();
    sources
        .keySet()
        .forEach(
            topic ->
                sourceByName.put(
                    config.topicConventions().deadLetterTopic(topic, config.group()), topic));
    Map<String, Topic> existing = looked.find(sourceByName.keySet());
    Map<String, String> missing = new TreeMap<>(sourceByName);
    missing.keySet().removeAll(existing.keySet());
    if (!missing.isEmpty()) {
      if (!config.createDeadLetterTopics()) {
        throw new ConsumerStartException(
            "dead-letter topics: "
                + String.join(", ", missing.keySet())
                + " does not exist; create it, or set createDeadLetterTopics(true)",
            null);
      }
      looked.createDeadLetterTopics(missing, sources);
    }
    Map<String, DeadLetterTopic> targets = new HashMap<>();
    sourceByName.forEach(
        (name, topic) -> {
          Topic source = sources.get(topic);
          Topic letters = existing.get(name);
          int size = source == null ? 0 : source.partitions();
          boolean same = letters == null || letters.partitions() == size;
          targets.put(topic, new DeadLetterTopic(name, same ? size : 0));
        });
    return targets;
  }
}
