package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import dev.onceward.consumer.ConsumerHealth.State;
import dev.onceward.consumer.StartChecks.CheckedTopics;
import dev.onceward.consumer.internal.EffectObservation;
import dev.onceward.consumer.internal.RecordDelivery;
import dev.onceward.consumer.internal.SharedDelivery;
import dev.onceward.consumer.internal.ThreadHygiene;
import dev.onceward.consumer.internal.engine.Engine;
import dev.onceward.consumer.internal.engine.EngineObservation;
import dev.onceward.consumer.internal.engine.EngineParts;
import dev.onceward.consumer.internal.engine.EngineSettings;
import dev.onceward.consumer.internal.engine.Fencing;
import dev.onceward.consumer.internal.engine.HandlerThreads;
import dev.onceward.consumer.internal.engine.Handling;
import dev.onceward.consumer.internal.failure.DeadLetters;
import dev.onceward.consumer.internal.failure.Failures;
import dev.onceward.consumer.internal.handler.Route;
import dev.onceward.consumer.internal.pipeline.InboxEntries;
import dev.onceward.consumer.internal.pipeline.Pipeline;
import dev.onceward.consumer.internal.source.GroupSource;
import dev.onceward.dedupe.FenceScope;
import dev.onceward.dedupe.Inbox;
import dev.onceward.dedupe.InboxEntry.Idempotency;
import dev.onceward.envelope.EventFormatException;
import dev.onceward.producer.internal.KafkaAdvice;
import dev.onceward.producer.internal.RecordSender;
import dev.onceward.tracing.EventTracing;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An {@link EventConsumer} over a consumer group: its life, and how its parts are put together. */
final class GroupEventConsumer implements EventConsumer {

  private static final Logger log = LoggerFactory.getLogger(GroupEventConsumer.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final ConsumerConfig config;
  private final KafkaAdvice advice;
  private final ThreadHygiene threads;
  private final AtomicBoolean started = new AtomicBoolean();

  /** Held while the consumer starts. */
  private final ReentrantLock starting = new ReentrantLock();

  private volatile boolean stopRequested;
  private volatile @Nullable Running running;

  /** What exists between start and stop. */
  private record Running(Engine engine, Thread poll, EffectObservation observation) {

    /** Whether the consumer's end waits for this thread. */
    boolean isItsOwn(Thread thread) {
      return thread == poll || engine.isHandling();
    }
  }

  GroupEventConsumer(ConsumerConfig config) {
    this.config = config;
    this.threads = new ThreadHygiene(config.onThreadLeak(), config.threadLocals());
    this.advice = KafkaAdvice.on(config.properties().forConsumer(config.maxInFlightRecords()));
  }

  @Override
  public void start() {
    if (!started.compareAndSet(false, true)) {
      throw new IllegalStateException("this consumer was started before; build a new one");
    }
    if (stopRequested) {
      throw new IllegalStateException("this consumer was closed before; build a new one");
    }
    starting.lock();
    try {
      checkAndRun();
    } finally {
      starting.unlock();
    }
  }

  private void checkAndRun() {
    StartChecks checks = new StartChecks(config.startTimeout(), advice);
    checks.checkInbox(config);
    requireNotStopped();
    CheckedTopics topics = checks.checkTopics(config);
    requireNotStopped();
    RecordSender sender = sender();
    GroupSource source = null;
    try {
      source = source();
      run(sender, source, topics);
    } catch (RuntimeException e) {
      running = null;
      if (source != null) {
        source.close();
      }
      sender.close(CLOSE_TIMEOUT);
      throw new ConsumerStartException(advice.explain(e), advice.safeCause(e));
    }
  }

  private void requireNotStopped() {
    if (stopRequested) {
      throw new ConsumerStartException(
          "the consumer of group " + config.group() + " was stopped while it started", null);
    }
  }

  private RecordSender sender() {
    try {
      return RecordSender.open(config.properties().forProducer(), config.tracing());
    } catch (IllegalArgumentException e) {
      // one line already
      throw new ConsumerStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private void run(RecordSender sender, GroupSource source, CheckedTopics topics) {
    ExecutorService given = config.executor();
    ExecutorService own = given == null ? handlerThreads() : null;
    Engine engine = assemble(source, sender, topics, own == null ? requireNonNull(given) : own);
    Inbox inbox = config.inbox();
    InboxUpkeep upkeep = inbox == null ? null : new InboxUpkeep(inbox, threadName("inbox"));
    EffectObservation observation =
        new EffectObservation(new EngineObservation(config.group(), engine), threads, inbox);
    EventTracing.Registration metrics = config.tracing().observe(observation);
    Thread hook = config.stopOnShutdown() ? new Thread(this::close, threadName("shutdown")) : null;
    Thread poll =
        new Thread(
            () -> {
              engine.run();
              metrics.close();
              if (upkeep != null) {
                upkeep.close();
              }
              sender.close(CLOSE_TIMEOUT);
              if (own != null) {
                own.shutdownNow();
              }
              removeHook(hook);
            },
            threadName("poll"));
    running = new Running(engine, poll, observation);
    if (hook != null) {
      Runtime.getRuntime().addShutdownHook(hook);
    }
    poll.start();
    if (stopRequested) {
      engine.stop();
    }
  }

  private String threadName(String role) {
    return "onceward-" + config.group() + "-" + role;
  }

  private static void removeHook(@Nullable Thread hook) {
    if (hook == null || Thread.currentThread() == hook) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is shutting down, and this is the hook's own work
      log.debug("the shutdown hook stays, it is running", e);
    }
  }

  private ExecutorService handlerThreads() {
    String prefix = threadName("handler") + "-";
    boolean sharesTransactions = config.inbox() != null && config.batches().maxEvents() > 1;
    return sharesTransactions
        ? HandlerThreads.platform(prefix, config.concurrency())
        : HandlerThreads.create(prefix, config.concurrency());
  }

  private GroupSource source() {
    return new GroupSource(
        new KafkaConsumer<>(
            config.properties().forConsumer(config.maxInFlightRecords()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer()),
        CLOSE_TIMEOUT);
  }

  /** The one place where the parts of a consumer are put together. */
  private Engine assemble(
      GroupSource source, RecordSender sender, CheckedTopics topics, ExecutorService executor) {
    Clock clock = Clock.systemUTC();
    Pipeline pipeline =
        Pipeline.of(
            config.routes().map(threads::watch),
            config.inbox(),
            new InboxEntries(
                delivery ->
                    scope(new TopicPartition(delivery.topic(), delivery.partition()), topics),
                config.transactionSettings()),
            config.payloadMapper(),
            config.tracing(),
            config.unhandledEvents(),
            config.interceptors(),
            clock);
    return new Engine(
        new EngineSettings(
            config.group(),
            config.routes().topics(),
            config.concurrency(),
            config.batches(),
            config.keylessRecords(),
            config.topicsOf(Idempotency.OFFSET),
            config.leasePolicy(),
            config.retryPolicy().maxCrashes(),
            config.drainBudget(),
            config.commitInterval(),
            config.maxInFlightRecords(),
            config.maxInFlightBytes(),
            config.properties().pollRecords(config.maxInFlightRecords())),
        new EngineParts(
            source,
            new RecordDelivery.Source(config.group(), config.eventReader(), config::handlerId),
            handling(pipeline),
            fencing(topics),
            new Failures(
                config.retryPolicy(),
                config.leasePolicy(),
                config.versionGaps(),
                max -> ThreadLocalRandom.current().nextLong(max + 1)),
            new DeadLetters(
                sender::send, topics.deadLetters(), failed -> handlerOf(failed.delivery())),
            executor,
            clock));
  }

  private @Nullable Fencing fencing(CheckedTopics topics) {
    Inbox inbox = config.inbox();
    return inbox == null || !config.fences()
        ? null
        : partition -> inbox.takeFence(scope(partition, topics)).epoch();
  }

  private FenceScope scope(TopicPartition partition, CheckedTopics topics) {
    return new FenceScope(
        config.group(),
        partition.topic(),
        topics.ids().get(partition.topic()),
        partition.partition());
  }

  private Handling handling(Pipeline pipeline) {
    return new Handling() {
      @Override
      public Outcome handle(Delivery delivery) throws Exception {
        return threads.watch(delivery, pipeline::handle);
      }

      @Override
      public List<@Nullable Outcome> handleTogether(List<SharedDelivery> deliveries) {
        return pipeline.handleTogether(deliveries);
      }
    };
  }

  private @Nullable String handlerOf(Delivery delivery) {
    try {
      Route route = config.routes().find(delivery.topic(), delivery.event().getType());
      return route == null ? null : route.handlerId();
    } catch (EventFormatException unreadable) {
      return null;
    }
  }

  @Override
  public void awaitStop() throws InterruptedException {
    Running current = running;
    if (current == null) {
      throw new IllegalStateException("this consumer is not started; call start() first");
    }
    current.poll().join();
    Optional<Throwable> failure = current.engine().failure();
    if (failure.isPresent()) {
      throw new ConsumerFailedException(
          "the consumer of group " + config.group() + " failed: " + advice.explain(failure.get()),
          failure.get());
    }
  }

  @Override
  public void stop() {
    stopRequested = true;
    Running current = running;
    if (current != null) {
      current.engine().stop();
    }
  }

  @Override
  public void close() {
    stop();
    try {
      // a start under way sees the request and gives up, or has just handed over
      starting.lockInterruptibly();
      starting.unlock();
      Running current = running;
      if (current == null || current.isItsOwn(Thread.currentThread())) {
        return;
      }
      current.poll().join();
    } catch (InterruptedException e) {
      // the stop goes on by itself, within its budget
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public ConsumerHealth health() {
    Running current = running;
    return current == null
        ? new ConsumerHealth(
            stopRequested ? State.STOPPED : State.NEW,
            false,
            false,
            Duration.ZERO,
            0,
            0,
            List.of(),
            List.of(),
            Optional.empty())
        : current.observation().withPool(current.engine().health());
  }

  @Override
  public DeliveryCounts counts() {
    Running current = running;
    return current == null
        ? new DeliveryCounts(0, 0, 0, 0, 0, 0, 0, 0, 0)
        : current.engine().counts();
  }

  @Override
  public Map<String, Long> leaks() {
    Running current = running;
    return current == null ? Map.of() : current.observation().leaks();
  }
}
