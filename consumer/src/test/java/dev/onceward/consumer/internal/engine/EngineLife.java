package dev.onceward.consumer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.consumer.ConsumerHealth;
import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.Delivery;
import dev.onceward.consumer.DeliveryCounts;
import dev.onceward.consumer.KeylessRecords;
import dev.onceward.consumer.LeasePolicy;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.failure.DeadLetters;
import dev.onceward.consumer.internal.failure.DeadLetters.DeadLetterTopic;
import dev.onceward.consumer.internal.failure.Failures;
import dev.onceward.consumer.internal.source.GroupSource;
import dev.onceward.envelope.EventReader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One life of an engine over a {@link LogConsumer}: everything real but the consumer and, where a
 * test says so, the producer of dead letters.
 */
final class EngineLife implements AutoCloseable {

  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** What a handler does. */
  @FunctionalInterface
  interface Handler {
    void handle(Delivery delivery) throws Exception;
  }

  private final int number = NUMBER.incrementAndGet();
  private final String topic;
  private final Truth truth;
  private final LogLines log = new LogLines();
  private final List<ProducerRecord<byte[], byte[]>> letters;
  private final List<List<Long>> sharedRuns = new CopyOnWriteArrayList<>();
  private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
  private final ExecutorService executor =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "life-" + number + "-handler");
            thread.setDaemon(true);
            return thread;
          });
  private final LogConsumer consumer;
  private final FaultyCalls calls;
  private final Engine engine;
  private final Thread poll;
  private volatile Set<String> ranAtDeath = Set.of();
  private volatile boolean dead;

  EngineLife(EngineLifeBuilder builder) {
    EngineLife before = builder.before;
    topic = before == null ? "topic-of-life-" + number + "-" : before.topic;
    truth = before == null ? new Truth() : before.truth;
    letters = before == null ? new CopyOnWriteArrayList<>() : before.letters;
    consumer = new LogConsumer(builder.pollRecords, before == null ? null : before.consumer);
    calls =
        new FaultyCalls(
            consumer,
            offsets -> {
              if (!dead) {
                truth.committing(offsets);
              }
            });
    engine =
        new Engine(
            new EngineSettings(
                group(),
                Set.of(topic()),
                builder.concurrency,
                builder.batches,
                KeylessRecords.IN_PARTITION_ORDER,
                builder.inOrder ? Set.of(topic()) : Set.of(),
                LeasePolicy.standard(),
                builder.retryPolicy.maxCrashes(),
                builder.drainBudget,
                builder.commitInterval,
                builder.maxRecords,
                Long.MAX_VALUE / 4,
                builder.pollRecords),
            new EngineParts(
                new GroupSource(calls.consumer(), Duration.ofSeconds(1)),
                new RecordDelivery.Source(
                    group(), EventReader.standard(), (topic, type) -> "handler"),
                new LifeHandling(this, builder.handler, sharedRuns),
                builder.fencing,
                new Failures(builder.retryPolicy, bound -> bound),
                new DeadLetters(
                    letter -> send(builder.sender, letter),
                    Map.of(topic(), new DeadLetterTopic(topic() + ".dlq", 1)),
                    failed -> "handler"),
                executor,
                Clock.systemUTC()));
    poll = new Thread(engine::run, "life-" + number + "-poll");
    poll.setUncaughtExceptionHandler((thread, error) -> uncaught.add(error));
    poll.setDaemon(true);
  }

  static EngineLifeBuilder builder() {
    return new EngineLifeBuilder();
  }

  /** Like the waits of other tests, for a machine that has other things to do. */
  static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5));
  }

  /** A handler begins, in a process that lives. */
  synchronized void begun(Delivery delivery) {
    requireAlive();
    truth.begun(partition(delivery.partition()), delivery.offset(), delivery.attempt());
  }

  /** The effects of the deliveries have happened. */
  synchronized void returned(List<Delivery> deliveries) {
    requireAlive();
    deliveries.forEach(one -> truth.returned(partition(one.partition()), one.offset()));
  }

  /** A handler has ended, whatever came of it. */
  synchronized void ended(Delivery delivery) {
    if (!dead) {
      truth.ended(partition(delivery.partition()), delivery.offset());
    }
  }

  private void requireAlive() {
    if (dead) {
      throw new IllegalStateException("what a dead process does is not so");
    }
  }

  /** The process dies: whatever it does from now on has not happened. */
  void die() {
    synchronized (this) {
      dead = true;
      consumer.die();
      ranAtDeath = truth.died();
    }
    engine.stop();
    executor.shutdownNow();
  }

  /** The places of the records that were being handled when it died. */
  Set<String> ranAtDeath() {
    return ranAtDeath;
  }

  boolean isDead() {
    return dead;
  }

  private CompletionStage<?> send(
      DeadLetters.Sender sender, ProducerRecord<byte[], byte[]> letter) {
    if (dead) {
      return new CompletableFuture<>();
    }
    return sender
        .send(letter)
        .thenApply(
            sent -> {
              letters.add(letter);
              truth.finished(
                  partition((int) number(letter.headers(), "__dlq.errors.partition")),
                  number(letter.headers(), "__dlq.errors.offset"));
              return sent;
            });
  }

  private static long number(Headers headers, String name) {
    return Long.parseLong(new String(headers.lastHeader(name).value(), StandardCharsets.US_ASCII));
  }

  String group() {
    return "group-" + number;
  }

  /** A topic that only lives after this one have, so that lines of the log can be told apart. */
  String topic() {
    return topic;
  }

  TopicPartition partition(int partition) {
    return new TopicPartition(topic(), partition);
  }

  /** The first partitions. */
  List<TopicPartition> partitions(int count) {
    List<TopicPartition> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(partition(i));
    }
    return ids;
  }

  /** Appends records, the keys in turn. */
  void append(int partition, int count, int keys) {
    long next = truth.end(partition(partition));
    for (int i = 0; i < count; i++) {
      append(partition, next + i, "key-" + i % keys);
    }
  }

  void append(int partition, long offset, String key) {
    append(partition, offset, key, 1);
  }

  /** A new leader lacks the records from the offset on; the consumer finds out. */
  void cutOff(int partition, long offset) {
    truth.cutOff(partition(partition), offset);
    consumer.cutOff(partition(partition), offset);
    long polls = consumer.polls();
    eventually().until(() -> hasEnded() || consumer.polls() > polls + 1);
  }

  void append(int partition, long offset, String key, int leaderEpoch) {
    byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
    byte[] value = {1};
    // first the truth: the engine may be quicker than this thread
    truth.appended(partition(partition), offset);
    consumer.append(
        new ConsumerRecord<>(
            topic(),
            partition,
            offset,
            0L,
            TimestampType.CREATE_TIME,
            keyBytes.length,
            value.length,
            keyBytes,
            value,
            new RecordHeaders(),
            Optional.of(leaderEpoch)));
  }

  EngineLife start() {
    poll.start();
    return this;
  }

  LogConsumer consumer() {
    return consumer;
  }

  FaultyCalls calls() {
    return calls;
  }

  Truth truth() {
    return truth;
  }

  LogLines log() {
    return log;
  }

  /** Dead letters that were acknowledged. */
  List<ProducerRecord<byte[], byte[]>> letters() {
    return letters;
  }

  ConsumerHealth health() {
    return engine.health();
  }

  /** The offsets of the records that were tried together, run by run. */
  List<List<Long>> sharedRuns() {
    return sharedRuns;
  }

  DeliveryCounts counts() {
    return engine.counts();
  }

  Engine engine() {
    return engine;
  }

  boolean hasFailed() {
    return engine.health().state() == State.FAILED;
  }

  boolean hasEnded() {
    return !poll.isAlive();
  }

  /** Whether everything there is, is finished and committed. */
  boolean isComplete(int partitions) {
    return truth.unfinished() == 0
        && partitions(partitions).stream()
            .allMatch(id -> consumer.committedOffset(id) == truth.end(id));
  }

  /** Waits until all there is, is finished and committed, or the engine has failed. */
  void awaitComplete(int partitions) {
    try {
      eventually().until(() -> hasEnded() || isComplete(partitions));
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("not complete: " + describe(partitions), e);
    }
    assertThat(engine.failure()).isEmpty();
  }

  private String describe(int partitions) {
    StringBuilder text = new StringBuilder(health().toString());
    text.append(", unfinished ").append(truth.unfinished());
    text.append(", running ").append(truth.running());
    text.append(", paused ").append(consumer.paused());
    for (TopicPartition id : partitions(partitions)) {
      text.append(", ").append(id).append(" finished ").append(truth.finished(id));
      text.append(" committed ").append(consumer.committedOffset(id));
      text.append(" of ").append(truth.end(id));
    }
    return text.toString();
  }

  /** Stops and waits for the end. */
  void stop() {
    engine.stop();
    eventually().until(this::hasEnded);
  }

  /** Nothing that must never happen has happened. */
  void assertNoViolation() {
    assertThat(truth.violations()).isEmpty();
    assertThat(uncaught).as("what ended the poll thread").isEmpty();
  }

  @Override
  public void close() {
    calls.heal();
    engine.stop();
    // a handler that waits is told to end; the poll thread ends by itself
    executor.shutdownNow();
    log.close();
  }
}
