package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.DeliveryCounts;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.Outcome;
import dev.onceward.consumer.RetryPolicy;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.failure.DeadLetters;
import dev.onceward.consumer.internal.failure.DeadLetters.DeadLetterTopic;
import dev.onceward.consumer.internal.failure.Failures;
import dev.onceward.consumer.internal.source.DeliverySource;
import dev.onceward.dedupe.InboxUnavailableException;
import dev.onceward.envelope.EventReader;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {

  private static final Duration MAX_AGE = Duration.ofMinutes(10);

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  private final AtomicLong nanos = new AtomicLong();
  private final List<Throwable> fatal = new CopyOnWriteArrayList<>();
  private final List<ProducerRecord<byte[], byte[]>> letters = new CopyOnWriteArrayList<>();
  private final Counters counters = new Counters();
  private final Lanes lanes = new Lanes(4, KeylessRecords.IN_PARTITION_ORDER);
  private final Partition partition = Records.partition(0);
  private final ExecutorService executor = Executors.newFixedThreadPool(4);
  private final Timer timer = new Timer("timer", fatal::add);
  private final Problems problems = new Problems();

  @AfterEach
  void close() {
    timer.close();
    executor.shutdownNow();
    assertThat(fatal).isEmpty();
  }

  @Test
  void timeWithoutADatabaseIsNotHeldAgainstTheEvent() {
    AtomicInteger tries = new AtomicInteger();
    run(
        delivery ->
            switch (tries.incrementAndGet()) {
              case 1 -> {
                nanos.addAndGet(MAX_AGE.toNanos());
                throw new InboxUnavailableException("down", null);
              }
              case 2 -> {
                nanos.addAndGet(MAX_AGE.toNanos());
                throw new IllegalStateException("the first failure of the handler");
              }
              default -> Outcome.APPLIED;
            });
    await().until(() -> counts().done() == 1);
    assertThat(counts().applied()).isEqualTo(1);
    assertThat(letters).isEmpty();
    assertThat(problems.lines()).isEmpty();
  }

  @Test
  void anEventThatFailsLongerThanTheMaximumAgeIsDeadLettered() {
    AtomicInteger tries = new AtomicInteger();
    run(
        delivery -> {
          tries.incrementAndGet();
          nanos.addAndGet(MAX_AGE.toNanos());
          throw new IllegalStateException("again");
        });
    await().until(() -> counts().done() == 1);
    assertThat(tries).hasValue(3);
    assertThat(letters).hasSize(1);
  }

  @Test
  void aClockThatIsSetForwardMakesNoEventOld() {
    AtomicInteger tries = new AtomicInteger();
    run(
        delivery -> {
          if (tries.incrementAndGet() < 5) {
            now.updateAndGet(t -> t.plus(MAX_AGE));
            throw new IllegalStateException("not yet");
          }
          return Outcome.APPLIED;
        });
    await().until(() -> counts().done() == 1);
    assertThat(counts().applied()).isEqualTo(1);
    assertThat(letters).isEmpty();
  }

  private DeliveryCounts counts() {
    return counters.snapshot();
  }

  private void run(Handling handling) {
    EngineParts parts =
        new EngineParts(
            noSource(),
            new RecordDelivery.Source("group", EventReader.standard(), (topic, type) -> "handler"),
            handling,
            null,
            new Failures(
                RetryPolicy.builder().maxAge(MAX_AGE).maxAttempts(100).build(), bound -> 0),
            new DeadLetters(
                letter -> {
                  letters.add(letter);
                  return CompletableFuture.completedFuture(null);
                },
                Map.of("topic", new DeadLetterTopic("topic.group.dlq", 1)),
                failed -> "handler"),
            executor,
            clock());
    Workers workers =
        new Workers(
            lanes,
            new Completions(),
            timer,
            new DeadLetterDesk(parts.deadLetters(), timer, problems, "letters", fatal::add),
            counters,
            problems,
            new KeyFailures(counters),
            new BatchSize(1, Duration.ofMillis(100)),
            LeasePolicy.standard(),
            nanos::get,
            parts,
            fatal::add);
    lanes.offer(partition, new ArrayList<>(List.of(Records.work(partition, 0, "k"))));
    workers.pump();
  }

  private Clock clock() {
    InstantSource source = now::get;
    return source.withZone(ZoneOffset.UTC);
  }

  private static DeliverySource noSource() {
    return (DeliverySource)
        Proxy.newProxyInstance(
            WorkersTest.class.getClassLoader(),
            new Class<?>[] {DeliverySource.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("workers do not touch the source");
            });
  }
}
