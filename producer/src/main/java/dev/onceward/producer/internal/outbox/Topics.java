package dev.onceward.producer.internal.outbox;

import dev.onceward.producer.PublishException;
import dev.onceward.producer.outbox.DeadReason;
import dev.onceward.producer.outbox.UnknownTopics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which topics can be sent to. A producer blocks its caller for as long as it does not know a
 * topic, so each topic is asked for on another thread first, and its rows wait in the database
 * meanwhile. Belongs to the loop.
 */
final class Topics {
  private static final long RECHECK = TimeUnit.SECONDS.toNanos(1);
  private static final long REFUSED_FOR = TimeUnit.SECONDS.toNanos(10);
  private static final int THREADS = 4;

  /** Why rows of a topic are dead at once. */
  record Refusal(DeadReason reason, String detail) {}

  private final Sender sender;
  private final UnknownTopics unknown;
  private final EventLoop loop;
  private final Problems problems;
  private final ExecutorService threads;
  private final Set<String> open = new HashSet<>();
  private final Set<String> closed = new HashSet<>();
  private final Map<String, Refusal> refused = new HashMap<>();

  Topics(Sender sender, UnknownTopics unknown, String relay, EventLoop loop, Problems problems) {
    this.sender = sender;
    this.unknown = unknown;
    this.loop = loop;
    this.problems = problems;
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "onceward-outbox-" + relay + "-topics");
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    this.threads = pool;
  }

  /** Whether rows of the topic may be taken into memory; if that is not known, it is found out. */
  boolean admits(String topic) {
    if (open.contains(topic) || refused.containsKey(topic)) {
      return true;
    }
    if (closed.add(topic)) {
      check(topic);
    }
    return false;
  }

  /** Why rows of the topic are dead, or null. */
  @Nullable Refusal refusal(String topic) {
    return refused.get(topic);
  }

  /** Rows were put back, perhaps because a topic is there now: do not rely on what was found. */
  void reconsider() {
    refused.clear();
  }

  /** The topics whose rows are to be left in the database. */
  Set<String> closed() {
    return closed;
  }

  /** A send has failed because of the topic: look again. */
  void doubt(String topic) {
    open.remove(topic);
    refused.remove(topic);
    if (closed.add(topic)) {
      check(topic);
    }
  }

  private void check(String topic) {
    threads.execute(
        () -> {
          try {
            sender.requireTopic(topic);
            loop.execute(() -> found(topic));
          } catch (PublishException e) {
            loop.execute(() -> failed(topic, e));
          } catch (IllegalStateException e) {
            // the producer was replaced meanwhile
            loop.execute(() -> loop.after(RECHECK, () -> check(topic)));
          }
        });
  }

  private void found(String topic) {
    problems.clear(subject(topic));
    closed.remove(topic);
    open.add(topic);
  }

  private void failed(String topic, PublishException failure) {
    Verdict verdict = Verdict.of(failure.getCause());
    boolean missing = verdict.kind() == Verdict.Kind.NO_TOPIC;
    DeadReason reason =
        missing && unknown == UnknownTopics.DEAD ? DeadReason.UNKNOWN_TOPIC : verdict.reason();
    String text = failure.reason();
    if (reason != null) {
      problems.clear(subject(topic));
      closed.remove(topic);
      refused.put(topic, new Refusal(reason, text));
      loop.after(REFUSED_FOR, () -> refused.remove(topic));
      return;
    }
    problems.raise(subject(topic), text);
    if (verdict.kind() == Verdict.Kind.NO_PRODUCER) {
      sender.reopen();
    }
    loop.after(RECHECK, () -> check(topic));
  }

  private static String subject(String topic) {
    return "topic " + topic;
  }

  void close() {
    threads.shutdownNow();
  }
}
