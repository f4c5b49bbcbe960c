package dev.onceward.it.guarantee;

import dev.onceward.it.scene.Scene;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** Looks at the committed offsets and at the members' health, five times a second. */
final class Poller implements AutoCloseable {

  private static final long PERIOD_MILLIS = 200;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final CompletableFuture<Void> looking;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Map<TopicPartition, Long> latest = new ConcurrentHashMap<>();
  private final AtomicInteger rebalances = new AtomicInteger();
  private final Scene scene;
  private final NoCommitPastUnfinished commits;
  private final BoundedMemory memory;
  private final Collection<Member> members;

  // the poller's own thread
  private Map<String, Set<TopicPartition>> assignments = Map.of();

  Poller(
      Scene scene,
      NoCommitPastUnfinished commits,
      BoundedMemory memory,
      Collection<Member> members) {
    this.scene = scene;
    this.commits = commits;
    this.memory = memory;
    this.members = members;
    looking = Scene.inBackground(this::lookOn);
  }

  private void lookOn() {
    try {
      do {
        look();
      } while (!ended.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      throw Scene.interrupted(e);
    }
  }

  private void look() {
    try {
      scene
          .committed(scene.group())
          .forEach(
              (partition, offset) -> {
                commits.committed(partition, offset.offset());
                latest.put(partition, offset.offset());
              });
      lookAtAssignments();
      for (Member member : members) {
        member.health().ifPresent(health -> memory.seen(member.name(), health));
      }
    } catch (Throwable e) {
      // the next look may succeed, but what this one missed is missed
      failure.compareAndSet(null, e);
    }
  }

  private void lookAtAssignments() {
    Map<String, Set<TopicPartition>> now = new HashMap<>();
    try {
      scene
          .describe()
          .members()
          .forEach(member -> now.put(member.consumerId(), member.assignment().topicPartitions()));
    } catch (AssertionError e) {
      if (!(e.getCause() instanceof GroupIdNotFoundException)) {
        throw e;
      }
    }
    if (!now.equals(assignments)) {
      rebalances.incrementAndGet();
      assignments = now;
    }
  }

  /** How often the assignment was another than at the look before. */
  int rebalances() {
    return rebalances.get();
  }

  /** The committed offset that was seen last; zero while there is none. */
  long committed(TopicPartition partition) {
    return latest.getOrDefault(partition, 0L);
  }

  /** Fails if looking failed. */
  void rethrow() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("committed offsets or health could not be looked at", thrown);
    }
  }

  /** Ends the looking; afterwards the guarantees are the caller's. */
  @Override
  public void close() {
    ended.countDown();
    looking.join();
  }
}
