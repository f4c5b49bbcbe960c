package dev.onceward.producer.outbox;

import static java.util.Objects.requireNonNull;

import dev.onceward.dedupe.internal.TableNames;
import dev.onceward.producer.internal.outbox.Checks;
import dev.onceward.producer.internal.outbox.OutboxTables;
import dev.onceward.producer.internal.outbox.RelayConfig;
import dev.onceward.producer.internal.outbox.RelayEngine;
import dev.onceward.producer.internal.outbox.RelayMetricsSource;
import dev.onceward.producer.internal.outbox.Session;
import dev.onceward.tracing.EventTracing;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Sends the events of an {@link Outbox} to Kafka, in the order of their keys, and deletes them when
 * all in-sync replicas have acknowledged them. At least once: after a crash events are sent again
 * that were sent and not yet deleted; a consumer with an inbox applies them once.
 *
 * <pre>{@code
 * try (OutboxRelay relay = OutboxRelay.builder(kafkaProperties, dataSource).build()) {
 *   relay.start();
 *   ...
 * }
 * }</pre>
 *
 * <p>Run one in each process of the application, or in processes of their own: relays share the
 * rows among them (16 shards, so more than 16 relays have nothing to do), and take over from one
 * that is gone when its leases have run out. The clock is the database's.
 *
 * <p>Of each key and topic one event is under way at a time, and the next one goes when it is
 * acknowledged. So whatever fails, and whoever else sends the same rows: in the topic no event
 * appears for the first time before an earlier one of its key.
 *
 * <p>It holds three connections of the data source and one Kafka producer. Kafka properties are
 * treated as by {@link dev.onceward.producer.EventPublisher}; {@code linger.ms} is 0 unless you set
 * it. Thread-safe. Its threads are daemons.
 */
public final class OutboxRelay implements AutoCloseable {
  private final RelayConfig config;
  private final RelayEngine engine;
  private EventTracing.@Nullable Registration metrics;
  private boolean started;
  private boolean closed;

  private OutboxRelay(RelayConfig config) {
    this.config = config;
    this.engine = new RelayEngine(config);
  }

  /**
   * A builder with the default settings.
   *
   * @param kafkaProperties the properties of the producer
   * @param dataSource where the outbox's tables are; stays the caller's. With a pool, leave three
   *     connections for the relay
   */
  public static Builder builder(Map<String, ?> kafkaProperties, DataSource dataSource) {
    return new Builder(kafkaProperties, dataSource);
  }

  /** Like {@link #builder(Map, DataSource)}, with these Kafka properties and their defaults. */
  public static Builder builder(Properties kafkaProperties, DataSource dataSource) {
    return new Builder(kafkaProperties, dataSource);
  }

  /**
   * Checks the database (tables, index, the sequence's cache, privileges) and begins to work. No
   * broker is waited for: one that cannot be reached shows in {@link #health}.
   *
   * @throws OutboxUnavailableException when the database cannot be reached or something is wrong
   *     with it, in one line that names it; the relay can be started again then
   * @throws IllegalStateException when it was started or closed before
   */
  public synchronized void start() {
    if (started || closed) {
      throw new IllegalStateException("The relay was started or closed before: build a new one.");
    }
    try (Session session = new Session(config.dataSource())) {
      session.explained(
          "be checked",
          checked -> {
            new Checks(config.tables()).run(checked);
            return true;
          });
    }
    started = true;
    engine.start();
    metrics = config.tracing().observe(new RelayMetricsSource(engine));
  }

  /**
   * Says that rows were committed just now, so that they are sent without waiting for the next look
   * (at the latest 250 ms later). Cheap; call it after each commit if you like.
   */
  public void wakeUp() {
    engine.wakeUp();
  }

  void expectSoon() {
    engine.expectSoon();
  }

  /** How the relay fares. */
  public RelayHealth health() {
    return engine.health();
  }

  /** What it has done since it was started. */
  public RelayCounts counts() {
    return engine.counts();
  }

  /**
   * Reads nothing more, waits for the brokers' answers to what was sent and deletes it, and gives
   * the shards up so that other relays can go on at once. It waits for up to the close timeout;
   * what has no answer by then stays in the outbox and is sent again. Closing again does nothing.
   */
  @Override
  public void close() {
    boolean running;
    synchronized (this) {
      running = started;
      if (!started && !closed) {
        engine.discard();
      }
      closed = true;
    }
    if (running) {
      engine.close();
      EventTracing.Registration registered = metrics;
      if (registered != null) {
        registered.close();
      }
    }
  }

  /** Settings of a relay. Not thread-safe. */
  public static final class Builder {
    /** How long a lease lasts unless told otherwise: 10 s. */
    public static final Duration DEFAULT_LEASE_DURATION = Duration.ofSeconds(10);

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(500);
    private static final Duration LONGEST_LEASE = Duration.ofHours(1);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,60}");
    private static final int MIN_IN_FLIGHT = 64;
    private static final int MAX_IN_FLIGHT = 100_000;

    private final Map<?, ?> kafkaProperties;
    private final DataSource dataSource;
    private @Nullable String schema;
    private String tablePrefix = TableNames.DEFAULT_PREFIX;
    private String name = "relay";
    private Duration leaseDuration = DEFAULT_LEASE_DURATION;
    private Duration closeTimeout = Duration.ofSeconds(30);
    private Duration sweepInterval = Duration.ofSeconds(30);
    private int maxInFlight = 8_000;
    private UnknownTopics unknownTopics = UnknownTopics.WAIT;
    private EventTracing tracing = EventTracing.global();

    private Builder(Map<?, ?> kafkaProperties, DataSource dataSource) {
      this.kafkaProperties = requireNonNull(kafkaProperties, "kafkaProperties");
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /** The schema of the outbox's tables. Default: found on the connections' search path. */
    public Builder schema(String schema) {
      this.schema = requireNonNull(schema, "schema");
      return this;
    }

    /** What the table names start with: a-z, 0-9 and _. Default: {@code onceward_}. */
    public Builder tablePrefix(String prefix) {
      this.tablePrefix = requireNonNull(prefix, "prefix");
      return this;
    }

    /**
     * What threads and the table of relays call it: 1 to 60 of letters, digits, {@code .}, {@code
     * _} and {@code -}. Need not be unique. Default: {@code relay}.
     */
    public Builder name(String name) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "name must be 1 to 60 letters, digits, '.', '_' and '-': " + name);
      }
      this.name = name;
      return this;
    }

    /**
     * How long a lease lasts that is not renewed; it is renewed four times as often. After a crash
     * the rows of a relay wait for so long. Shorter takes over sooner, and is lost in shorter
     * pauses of the process or the database, which costs duplicates. 500 ms to an hour. Default:
     * {@link #DEFAULT_LEASE_DURATION}.
     */
    public Builder leaseDuration(Duration duration) {
      requireBetween("leaseDuration", duration, SHORTEST_LEASE, LONGEST_LEASE);
      this.leaseDuration = duration;
      return this;
    }

    /** How long {@link OutboxRelay#close} waits for the brokers. Default: 30 s. */
    public Builder closeTimeout(Duration timeout) {
      requireBetween("closeTimeout", timeout, Duration.ZERO, Duration.ofHours(1));
      this.closeTimeout = timeout;
      return this;
    }

    /**
     * How often the whole table is looked through for rows that were overlooked. There are none
     * unless others than {@link Outbox} write to the table; finding one is logged as an error and
     * counted. 100 ms to an hour. Default: 30 s.
     */
    public Builder sweepInterval(Duration interval) {
      requireBetween("sweepInterval", interval, Duration.ofMillis(100), Duration.ofHours(1));
      this.sweepInterval = interval;
      return this;
    }

    /**
     * How many rows may be read and not yet deleted, 64 to 100,000; and never more than 16 MiB.
     * Default: 8,000.
     */
    public Builder maxInFlight(int rows) {
      if (rows < MIN_IN_FLIGHT || rows > MAX_IN_FLIGHT) {
        throw new IllegalArgumentException("maxInFlight must be 64 to 100,000: " + rows);
      }
      this.maxInFlight = rows;
      return this;
    }

    /** What is done with rows for a topic that does not exist. Default: they wait. */
    public Builder unknownTopics(UnknownTopics policy) {
      this.unknownTopics = requireNonNull(policy, "policy");
      return this;
    }

    /** Spans and metrics. Default: {@link EventTracing#global()}. */
    public Builder tracing(EventTracing tracing) {
      this.tracing = requireNonNull(tracing, "tracing");
      return this;
    }

    /**
     * Builds the relay. Its producer starts to connect in the background; the database is not
     * touched before {@link OutboxRelay#start}.
     *
     * @throws IllegalArgumentException when a Kafka property or a setting contradicts or is not
     *     valid, in one line that names it and the fix
     */
    public OutboxRelay build() {
      return new OutboxRelay(
          new RelayConfig(
              kafkaProperties,
              dataSource,
              new OutboxTables(new TableNames(schema, tablePrefix)),
              name,
              leaseDuration,
              closeTimeout,
              sweepInterval,
              maxInFlight,
              unknownTopics,
              tracing));
    }

    private static void requireBetween(
        String setting, Duration value, Duration least, Duration most) {
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            setting + " must be " + least + " to " + most + ", not " + value);
      }
    }
  }
}
