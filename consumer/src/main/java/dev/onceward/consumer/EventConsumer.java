package dev.onceward.consumer;

import static java.util.Objects.requireNonNull;

import dev.onceward.dedupe.Inbox;
import dev.onceward.envelope.EventReader;
import dev.onceward.envelope.JacksonPayloadMapper;
import dev.onceward.envelope.PayloadMapper;
import dev.onceward.envelope.TopicConventions;
import dev.onceward.tracing.EventTracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads events from Kafka topics as a member of a consumer group and hands each to its handler.
 *
 * <p>One key has at most one handler running, in offset order; different keys run in parallel. An
 * offset is committed only when the effect of its event and of all events before it is committed,
 * they were skipped for a stated reason, or their dead letters were acknowledged. Thread-safe.
 */
public interface EventConsumer extends AutoCloseable {

  /**
   * Starts a builder.
   *
   * @param kafkaProperties the properties of the Kafka clients; passed through, but for
   *     deserializers, {@code group.id} and auto-commit, which are Onceward's. {@code
   *     auto.offset.reset} is {@code earliest} unless it is set
   */
  static Builder builder(Map<String, ?> kafkaProperties) {
    return new Builder(kafkaProperties);
  }

  /** Starts a builder from {@link Properties}; see {@link #builder(Map)}. */
  static Builder builder(Properties kafkaProperties) {
    Map<String, Object> properties = new HashMap<>();
    // not entrySet: it leaves out the defaults that Properties can be layered on
    kafkaProperties
        .stringPropertyNames()
        .forEach(name -> properties.put(name, kafkaProperties.getProperty(name)));
    return new Builder(properties);
  }

  /**
   * Checks that brokers, topics, dead-letter topics and inbox are there, and begins to read.
   * Returns when reading has begun.
   *
   * @throws ConsumerStartException if a check fails; one line names the setting and the fix. Also
   *     if it is stopped meanwhile
   * @throws IllegalStateException if it was started or closed before
   */
  void start();

  /**
   * Waits until the consumer has stopped.
   *
   * @throws ConsumerFailedException if it stopped because of an error
   * @throws InterruptedException if the waiting thread is interrupted
   */
  void awaitStop() throws InterruptedException;

  /** Asks for a graceful stop and returns at once; {@link #awaitStop} tells when it is done. */
  void stop();

  /**
   * Stops gracefully and waits for it: no new event starts, what runs may finish within the drain
   * budget, and what is done is committed. May be called at any time, also more than once. Called
   * from a handler it only asks for the stop, which waits for that handler.
   */
  @Override
  void close();

  /** How the consumer fares at present. */
  ConsumerHealth health();

  /** What the consumer has done since it was started. */
  DeliveryCounts counts();

  /**
   * What handlers have left behind since the consumer was started, by kind. On their threads:
   * {@code mdc}, {@code context} (OpenTelemetry's), {@code interrupt} and {@code thread_local}; on
   * their connections the {@link dev.onceward.dedupe.hygiene.LeakKind#metricName names} of {@link
   * dev.onceward.dedupe.hygiene.LeakKind}. Kinds that never were are missing.
   */
  Map<String, Long> leaks();

  /** Builds an {@link EventConsumer}; not thread-safe. */
  final class Builder {
    final Map<String, Object> kafkaProperties;
    final List<Object> handlers = new ArrayList<>();
    final List<Interceptor> interceptors = new ArrayList<>();
    static final Function<Delivery, Map<String, String>> NO_SETTINGS = delivery -> Map.of();

    String group = "";
    @Nullable Inbox inbox;
    @Nullable Duration drainBudget;
    @Nullable ExecutorService executor;
    @Nullable EventTracing tracing;
    int concurrency = 32;
    int maxInFlightRecords = 10_000;
    long maxInFlightBytes = 64L * 1024 * 1024;
    Duration commitInterval = Duration.ofMillis(500);
    Duration startTimeout = Duration.ofSeconds(30);
    RetryPolicy retryPolicy = RetryPolicy.standard();
    LeasePolicy leasePolicy = LeasePolicy.standard();
    UnhandledEvents unhandledEvents = UnhandledEvents.SKIP;
    @Nullable BatchPolicy batches;
    boolean fences = true;
    VersionGapPolicy versionGaps = VersionGapPolicy.standard();
    Function<Delivery, Map<String, String>> transactionSettings = NO_SETTINGS;
    KeylessRecords keylessRecords = KeylessRecords.IN_PARTITION_ORDER;
    PayloadMapper payloadMapper = JacksonPayloadMapper.standard();
    EventReader eventReader = EventReader.standard();
    TopicConventions topicConventions = TopicConventions.standard();
    boolean createDeadLetterTopics = true;
    boolean stopOnShutdown = true;
    OnThreadLeak onThreadLeak = OnThreadLeak.WARN;
    final Map<String, ThreadLocal<?>> threadLocals = new LinkedHashMap<>();

    private Builder(Map<String, ?> kafkaProperties) {
      this.kafkaProperties = new HashMap<>(kafkaProperties);
    }

    /** The consumer group; required. */
    public Builder group(String group) {
      this.group = requireNonNull(group);
      return this;
    }

    /**
     * Adds handlers: objects of {@link EventHandlers} classes, or {@link LambdaHandlers}. At least
     * one is required. Their methods are called from many threads at once.
     */
    public Builder handlers(Object... handlers) {
      for (Object one : handlers) {
        this.handlers.add(requireNonNull(one, "handlers(...) was given null"));
      }
      return this;
    }

    /** The inbox; required by handlers that are idempotent, version-guarded or transactional. */
    public Builder inbox(Inbox inbox) {
      this.inbox = requireNonNull(inbox);
      return this;
    }

    /** How many handlers may run at once; default 32. */
    public Builder concurrency(int concurrency) {
      this.concurrency = concurrency;
      return this;
    }

    /**
     * The executor that runs handlers; the caller shuts it down. By default virtual threads where
     * the JVM has them and no {@link #batches} share transactions of an inbox, else a pool of
     * {@link #concurrency} threads, which is faster at a batch's many short round trips to the
     * database.
     */
    public Builder executor(ExecutorService executor) {
      this.executor = requireNonNull(executor);
      return this;
    }

    /** When a failed event is tried again; default {@link RetryPolicy#standard}. */
    public Builder retryPolicy(RetryPolicy retryPolicy) {
      this.retryPolicy = requireNonNull(retryPolicy);
      return this;
    }

    /**
     * How long a handler may work on one try, and what follows when it takes longer; default {@link
     * LeasePolicy#standard}.
     */
    public Builder lease(LeasePolicy leasePolicy) {
      this.leasePolicy = requireNonNull(leasePolicy, "lease(...) was given null");
      return this;
    }

    /**
     * How many events may share a transaction of the inbox; default {@link BatchPolicy#none}, or
     * {@link BatchPolicy#standard} when a handler takes lists and there is no {@link #interceptor}.
     * An interceptor surrounds one delivery, so there is none beside batches.
     */
    public Builder batches(BatchPolicy batches) {
      this.batches = requireNonNull(batches, "batches(...) was given null");
      return this;
    }

    /**
     * Whether each owner of a partition takes its fence from the inbox before it begins, and each
     * transaction checks it before its commit, so that an owner that has lost the partition without
     * knowing it, for example frozen, commits nothing; default true. It costs a round trip for each
     * transaction.
     */
    public Builder fences(boolean fences) {
      this.fences = fences;
      return this;
    }

    /**
     * What becomes of events that came before their turn; default {@link
     * VersionGapPolicy#standard}.
     */
    public Builder versionGaps(VersionGapPolicy versionGaps) {
      this.versionGaps = requireNonNull(versionGaps, "versionGaps(...) was given null");
      return this;
    }

    /**
     * The settings of a delivery's transaction, such as its tenant for row-level security; of those
     * that the inbox binds. They end with the transaction. Deliveries whose settings differ never
     * share one. Called on handler threads; default none. A setting that the inbox does not bind is
     * trouble of the configuration: events wait, and use up no attempt.
     */
    public Builder transactionSettings(Function<Delivery, Map<String, String>> settings) {
      this.transactionSettings =
          requireNonNull(settings, "transactionSettings(...) was given null");
      return this;
    }

    /** What happens to events nobody handles; default {@link UnhandledEvents#SKIP}. */
    public Builder unhandledEvents(UnhandledEvents unhandledEvents) {
      this.unhandledEvents = requireNonNull(unhandledEvents);
      return this;
    }

    /** The order of records without a key; default {@link KeylessRecords#IN_PARTITION_ORDER}. */
    public Builder keylessRecords(KeylessRecords keylessRecords) {
      this.keylessRecords = requireNonNull(keylessRecords);
      return this;
    }

    /** Adds a step around every handler; the first added runs outermost. */
    public Builder interceptor(Interceptor interceptor) {
      interceptors.add(requireNonNull(interceptor));
      return this;
    }

    /** Maps event data to payloads; default {@link JacksonPayloadMapper#standard}. */
    public Builder payloadMapper(PayloadMapper payloadMapper) {
      this.payloadMapper = requireNonNull(payloadMapper);
      return this;
    }

    /** Reads events; default {@link EventReader#standard}. */
    public Builder eventReader(EventReader eventReader) {
      this.eventReader = requireNonNull(eventReader);
      return this;
    }

    /** Spans and log context; default {@link EventTracing#global}. */
    public Builder tracing(EventTracing tracing) {
      this.tracing = requireNonNull(tracing);
      return this;
    }

    /** Names of dead-letter topics; default {@link TopicConventions#standard}. */
    public Builder topicConventions(TopicConventions topicConventions) {
      this.topicConventions = requireNonNull(topicConventions);
      return this;
    }

    /**
     * Whether a missing dead-letter topic is created at start, with as many partitions as the topic
     * it serves and a retention of 30 days; default true. If false, a missing one fails the start.
     */
    public Builder createDeadLetterTopics(boolean createDeadLetterTopics) {
      this.createDeadLetterTopics = createDeadLetterTopics;
      return this;
    }

    /**
     * How long a revoked partition and a stop wait for handlers that run; default 10 s or half of
     * {@code max.poll.interval.ms}, whichever is shorter. What is not done then is interrupted and
     * its events are redelivered.
     */
    public Builder drainBudget(Duration drainBudget) {
      this.drainBudget = requireNonNull(drainBudget);
      return this;
    }

    /** How often finished work is committed; default 500 ms. */
    public Builder commitInterval(Duration commitInterval) {
      this.commitInterval = requireNonNull(commitInterval);
      return this;
    }

    /** How long the checks of {@link EventConsumer#start} may take; default 30 s. */
    public Builder startTimeout(Duration startTimeout) {
      this.startTimeout = requireNonNull(startTimeout);
      return this;
    }

    /**
     * Records that may be read and not done, shared equally by the assigned partitions; default
     * 10,000. A partition that has used its share is paused. One poll may exceed it by {@code
     * max.poll.records}, which is lowered to a twentieth of it.
     */
    public Builder maxInFlightRecords(int maxInFlightRecords) {
      this.maxInFlightRecords = maxInFlightRecords;
      return this;
    }

    /** As {@link #maxInFlightRecords}, in bytes of keys, values and headers; default 64 MiB. */
    public Builder maxInFlightBytes(long maxInFlightBytes) {
      this.maxInFlightBytes = maxInFlightBytes;
      return this;
    }

    /**
     * What follows when a handler leaves something on its thread: MDC entries, an OpenTelemetry
     * context, an interrupt, or a value of a {@link #threadLocal}. It is removed, counted and
     * logged with the handler's name in any case. Default: {@link OnThreadLeak#WARN}.
     */
    public Builder onThreadLeak(OnThreadLeak onThreadLeak) {
      this.onThreadLeak = requireNonNull(onThreadLeak, "onThreadLeak(...) was given null");
      return this;
    }

    /**
     * Looks after a thread local too: when a handler returns, its value must equal the one before.
     * The value of a thread that has none is asked for, so an initial value is made.
     *
     * @param name what messages call it
     */
    public Builder threadLocal(String name, ThreadLocal<?> threadLocal) {
      threadLocals.put(
          requireNonNull(name, "threadLocal(...) was given no name"),
          requireNonNull(threadLocal, "threadLocal(...) was given null"));
      return this;
    }

    /**
     * Whether the consumer stops gracefully when the JVM shuts down, as on SIGTERM; default true.
     */
    public Builder stopOnShutdown(boolean stopOnShutdown) {
      this.stopOnShutdown = stopOnShutdown;
      return this;
    }

    /**
     * Builds the consumer; connects to nothing yet.
     *
     * @throws ConsumerConfigurationException if a handler or a setting cannot work; a line for each
     *     problem
     */
    public EventConsumer build() {
      return new GroupEventConsumer(ConsumerConfig.of(this));
    }
  }
}
