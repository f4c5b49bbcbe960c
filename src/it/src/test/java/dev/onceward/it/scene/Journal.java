package dev.onceward.it.scene;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.LambdaHandlers.Handler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/** Writes down every run of a handler, in whatever consumer it is. Thread-safe. */
public final class Journal {

  private final ConcurrentLinkedQueue<Run> runs = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Run> begun = new ConcurrentLinkedQueue<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();

  /**
   * One run of a handler.
   *
   * @param member the consumer it ran in
   * @param key the record's key in hexadecimal, or null as text
   * @param begin when it began, in nanoseconds
   * @param end when it ended, in nanoseconds; zero while it runs
   * @param failed whether it threw
   */
  public record Run(
      String member,
      TopicPartition partition,
      long offset,
      String key,
      int attempt,
      long begin,
      long end,
      boolean failed) {

    String place() {
      return partition + "@" + offset;
    }

    String lane() {
      return partition + "/" + key;
    }
  }

  /** The handler, written down under the name of the consumer it runs in. */
  public Handler<Note> of(String member, Handler<Note> handler) {
    return (note, delivery) -> {
      int now = running.incrementAndGet();
      mostRunning.accumulateAndGet(now, Math::max);
      long begin = System.nanoTime();
      boolean failed = true;
      begun.add(run(member, delivery, begin, 0, false));
      try {
        handler.handle(note, delivery);
        failed = false;
      } finally {
        runs.add(run(member, delivery, begin, System.nanoTime(), failed));
        running.decrementAndGet();
      }
    };
  }

  private static Run run(String member, Delivery delivery, long begin, long end, boolean failed) {
    byte[] key = delivery.record().key();
    return new Run(
        member,
        new TopicPartition(delivery.topic(), delivery.partition()),
        delivery.offset(),
        key == null ? "null" : HexFormat.of().formatHex(key),
        delivery.attempt(),
        begin,
        end,
        failed);
  }

  /** The runs that have ended, in the order of their beginning. */
  public List<Run> runs() {
    return runs.stream().sorted(Comparator.comparingLong(Run::begin)).toList();
  }

  /** All runs, those that go on included, in the order of their beginning. */
  public List<Run> begun() {
    return begun.stream().sorted(Comparator.comparingLong(Run::begin)).toList();
  }

  public int running() {
    return running.get();
  }

  public int mostRunning() {
    return mostRunning.get();
  }

  /** Records whose handler has returned. */
  public int succeeded() {
    Set<String> places = new HashSet<>();
    runs.forEach(
        run -> {
          if (!run.failed()) {
            places.add(run.place());
          }
        });
    return places.size();
  }

  public Map<String, List<Run>> byPlace() {
    return runs().stream().collect(groupingBy(Run::place));
  }

  /** Within one consumer: no key ran twice at once, and none went on before it succeeded. */
  public void assertOrderWithinKeys() {
    runs().stream()
        .collect(groupingBy(run -> run.member() + run.lane()))
        .forEach(
            (lane, ofLane) -> {
              for (int i = 1; i < ofLane.size(); i++) {
                Run before = ofLane.get(i - 1);
                Run run = ofLane.get(i);
                assertThat(run.begin()).as("%s after %s", run, before).isGreaterThan(before.end());
                if (before.failed()) {
                  assertThat(run.offset()).as("a retry of %s", before).isEqualTo(before.offset());
                  assertThat(run.attempt()).isEqualTo(before.attempt() + 1);
                } else {
                  assertThat(run.offset()).as("after %s", before).isGreaterThan(before.offset());
                  assertThat(run.attempt()).isEqualTo(1);
                }
              }
            });
  }

  /** No two consumers ever worked on the same partition at once. */
  public void assertOwnersDoNotOverlap() {
    runs().stream()
        .collect(groupingBy(Run::partition))
        .forEach(
            (partition, ofPartition) -> {
              List<String> overlaps = new ArrayList<>();
              for (int i = 1; i < ofPartition.size(); i++) {
                Run run = ofPartition.get(i);
                for (int j = i - 1; j >= 0 && j > i - 200; j--) {
                  Run before = ofPartition.get(j);
                  if (!before.member().equals(run.member()) && before.end() > run.begin()) {
                    overlaps.add(run + " began while " + before + " went on");
                  }
                }
              }
              assertThat(overlaps).as(partition.toString()).isEmpty();
            });
  }

  /** Each record was handled, and once only. */
  public void assertEachHandledOnce(int records) {
    Map<String, List<Run>> byPlace = byPlace();
    assertThat(byPlace).hasSize(records);
    assertThat(byPlace.values()).as("each exactly once").allMatch(list -> list.size() == 1);
  }
}
