package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.internal.engine.Work.Suspicion;
import dev.onceward.consumer.internal.engine.Work.Wait;
import dev.onceward.consumer.internal.offsets.CommitNote;
import dev.onceward.consumer.internal.offsets.Deaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Handler threads that take, finish, park, resume and put back, while partitions come, go and come
 * back, some with suspects. What a thread sees is written down after it has taken work and before
 * it gives it back, so that what seems to overlap does.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LanesStressTest {

  private static final int CONCURRENCY = 3;
  private static final int OWNERSHIPS = 400;
  private static final int RECORDS = 40;
  private static final int KEYS = 5;
  private static final long STUCK_NANOS = Duration.ofSeconds(30).toNanos();

  private final Lanes lanes = new Lanes(CONCURRENCY, KeylessRecords.IN_PARTITION_ORDER);
  private final Suspects suspects = new Suspects(lanes, 3);
  private final ExecutorService executor = Executors.newFixedThreadPool(CONCURRENCY + 1);
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();

  private final Set<Work> taken = ConcurrentHashMap.newKeySet();
  private final Map<String, Work> busyKeys = new ConcurrentHashMap<>();
  private final Map<Partition, Long> closedAt = new ConcurrentHashMap<>();
  private final Map<Work, String> keys = new ConcurrentHashMap<>();
  private final Map<Partition, AtomicInteger> done = new ConcurrentHashMap<>();
  private final Map<String, Long> lastOfKey = new ConcurrentHashMap<>();
  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger finished = new AtomicInteger();

  @AfterEach
  void close() {
    executor.shutdownNow();
  }

  @Test
  void whateverThreadsDoAtOnceNoKeyOverlapsAndNothingGetsStuckOrStartsTooLate() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    List<Partition> owned = new ArrayList<>();
    for (int i = 0; i < OWNERSHIPS; i++) {
      owned.add(assign(i % 2, random));
      if (owned.size() == 2) {
        Partition going = owned.remove(0);
        if (random.nextInt(3) > 0) {
          awaitDone(going, owned, seed);
        } else {
          cycle(going, owned);
        }
        giveUp(going, random.nextBoolean());
      }
    }
    awaitDone(owned.get(0), List.of(), seed);
    long deadline = System.nanoTime() + STUCK_NANOS;
    while (!taken.isEmpty() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(100_000);
    }

    assertThat(violations).as("seed %s", seed).isEmpty();
    assertThat(taken).isEmpty();
    assertThat(lanes.take()).isNull();
    assertThat(finished.get()).isGreaterThan(OWNERSHIPS * RECORDS / 2);
  }

  private Partition assign(int number, Random random) {
    Partition partition = Records.assigned(number, CommitNote.NONE, 0);
    done.put(partition, new AtomicInteger());
    List<Work> works = new ArrayList<>();
    for (int offset = 0; offset < RECORDS; offset++) {
      String key = "key-" + random.nextInt(KEYS);
      Suspicion suspicion =
          switch (random.nextInt(10)) {
            case 0 -> Suspicion.ACCUSED;
            case 1, 2 -> Suspicion.WATCHED;
            default -> Suspicion.NONE;
          };
      Work work =
          new Work(
              partition,
              Records.record(partition, offset, key),
              0,
              suspicion == Suspicion.ACCUSED ? new Deaths(1, 2, 0) : Deaths.NONE,
              suspicion,
              false);
      keys.put(work, key);
      works.add(work);
    }
    lanes.offer(partition, works.subList(0, RECORDS / 2));
    lanes.open(partition);
    pump();
    lanes.offer(partition, works.subList(RECORDS / 2, RECORDS));
    pump();
    return partition;
  }

  /** What the poll thread does, but for the commit, which arrives at once. */
  private void cycle(Partition first, List<Partition> others) {
    suspects.step();
    @Nullable Work named = suspects.alone();
    if (named == null) {
      List<Partition> all = new ArrayList<>(others);
      all.add(first);
      all.forEach(partition -> lanes.acquit(new HashSet<>(lanes.unmarked(partition, 3))));
    }
    suspects.committed(named);
    pump();
  }

  private void awaitDone(Partition partition, List<Partition> others, long seed) {
    long deadline = System.nanoTime() + STUCK_NANOS;
    while (doneOf(partition).get() < RECORDS) {
      assertThat(System.nanoTime() - deadline)
          .as("stuck at %s of %s, seed %s, %s", doneOf(partition), RECORDS, seed, violations)
          .isNegative();
      cycle(partition, others);
      LockSupport.parkNanos(20_000);
    }
  }

  private void giveUp(Partition partition, boolean drains) {
    if (drains) {
      lanes.startNoMore(List.of(partition));
    }
    lanes.close(partition);
    closedAt.put(partition, clock.incrementAndGet());
    pump();
  }

  private void pump() {
    long asked = clock.get();
    Work work = lanes.take();
    while (work != null) {
      Work first = work;
      took(first, asked);
      if (ThreadLocalRandom.current().nextInt(50) == 0) {
        gives(first);
        lanes.putBack(first);
      } else {
        executor.execute(() -> runAll(first));
      }
      asked = clock.get();
      work = lanes.take();
    }
  }

  private void runAll(Work first) {
    try {
      Work work = first;
      while (work != null) {
        work = run(work);
      }
    } catch (RuntimeException | Error e) {
      violations.add("a handler thread failed: " + e);
      throw e;
    }
  }

  private @Nullable Work run(Work work) {
    int what = ThreadLocalRandom.current().nextInt(10);
    if (what == 9) {
      LockSupport.parkNanos(50_000);
    }
    gives(work);
    long asked = clock.get();
    Work next;
    if (what < 7) {
      counts(work);
      next = lanes.finish(work);
    } else if (what == 7) {
      next = lanes.park(work, Wait.RETRY);
      executor.execute(
          () -> {
            lanes.resume(work);
            pump();
          });
    } else {
      next = lanes.park(work, Wait.DEAD_LETTER);
      executor.execute(
          () -> {
            counts(work);
            lanes.finishParked(work, false);
            pump();
          });
    }
    if (next != null) {
      took(next, asked);
    }
    return next;
  }

  private void took(Work work, long asked) {
    Partition partition = work.partition();
    Long closed = closedAt.get(partition);
    if (closed != null && closed <= asked) {
      violations.add("offset " + work.offset() + " is taken after its partition was closed");
    }
    Work other = busyKeys.putIfAbsent(place(work), work);
    if (other != null) {
      violations.add("two of one key: offsets " + other.offset() + ", " + work.offset());
    }
    boolean alone = work.suspicion == Suspicion.ACCUSED;
    taken.add(work);
    int atOnce = taken.size();
    if (atOnce > CONCURRENCY || (alone && atOnce > 1)) {
      violations.add(atOnce + " at once, alone: " + alone);
    }
  }

  private void gives(Work work) {
    taken.remove(work);
    busyKeys.remove(place(work), work);
  }

  private void counts(Work work) {
    Partition partition = work.partition();
    String lane = System.identityHashCode(partition) + partition.id().toString() + keys.get(work);
    Long before = lastOfKey.put(lane, work.offset());
    if (before != null && before >= work.offset()) {
      violations.add("offset " + work.offset() + " after " + before);
    }
    doneOf(partition).incrementAndGet();
    finished.incrementAndGet();
  }

  private AtomicInteger doneOf(Partition partition) {
    return done.computeIfAbsent(partition, any -> new AtomicInteger());
  }

  private String place(Work work) {
    TopicPartition id = work.partition().id();
    return id + " " + keys.get(work);
  }
}
