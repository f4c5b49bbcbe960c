package dev.onceward.dedupe;

import static java.util.Objects.requireNonNull;

import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import dev.onceward.dedupe.hygiene.HygieneCounts;
import dev.onceward.dedupe.hygiene.HygienicDataSource;
import dev.onceward.dedupe.hygiene.PoolFigures;
import dev.onceward.dedupe.hygiene.PoolUsage;
import dev.onceward.dedupe.internal.DetectingDialect;
import dev.onceward.dedupe.internal.Diagnosis;
import dev.onceward.dedupe.internal.Dialect;
import dev.onceward.dedupe.internal.EffectRunner;
import dev.onceward.dedupe.internal.FenceKeeper;
import dev.onceward.dedupe.internal.InboxConfig;
import dev.onceward.dedupe.internal.InboxSettings;
import dev.onceward.dedupe.internal.Maintenance;
import dev.onceward.dedupe.internal.Verification;
import dev.onceward.dedupe.internal.h2.H2Flavor;
import dev.onceward.dedupe.internal.hygiene.InboxSource;
import dev.onceward.dedupe.internal.mysql.MySqlFlavor;
import dev.onceward.dedupe.internal.portable.PortableDialect;
import dev.onceward.dedupe.internal.postgres.PostgresDialect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The inbox on a relational database, over any {@link DataSource}: PostgreSQL first, and MySQL,
 * MariaDB and H2 (see {@link Database}). Thread-safe; one for each data source is enough. It holds
 * no connection and needs no closing; the data source stays the caller's.
 *
 * <pre>{@code
 * JdbcInbox inbox = JdbcInbox.on(dataSource);
 * inbox.createSchema();
 * inbox.process(
 *     InboxEntry.of("billing", event.getSource(), event.getId()),
 *     tx -> ledger.charge(tx, order));
 * }</pre>
 *
 * <p>One effect, or one batch of them, is one transaction on one connection: a single statement
 * inserts the dedupe keys and advances the entity versions, then the effect runs, then commit. A
 * concurrent duplicate waits for the first: it is skipped when the first commits and applied when
 * the first rolls back.
 *
 * <p>On MySQL, MariaDB and H2 the same takes a few statements more, and a statement that failed
 * undoes itself only: when the handler swallows its error, the rest is committed. What ends the
 * transaction there is refused, DDL among it, or noticed before the commit.
 *
 * <p>With pgjdbc the state of the transaction is known without asking the server. With another
 * driver, or when a pool does not unwrap to {@code org.postgresql.core.BaseConnection}, each effect
 * costs two more round trips.
 *
 * <p>What the connection's guard cannot see: SQL run past it, through objects of the driver that
 * keep the real connection, such as pgjdbc's {@code CopyManager}. Do not end the transaction there,
 * and do not use them after the handler returns.
 */
public final class JdbcInbox implements Inbox {
  private final InboxConfig config;
  private final EffectRunner effects;
  private final FenceKeeper fences;
  private final Verification verification;
  private final Maintenance maintenance;
  private final InboxSource source;

  private JdbcInbox(InboxConfig config, InboxSource source) {
    this.config = config;
    this.source = source;
    Dialect dialect = new DetectingDialect(config, database -> dialect(database, config));
    Diagnosis diagnosis = new Diagnosis(config.dataSourceName(), config.tables(), dialect);
    this.effects = new EffectRunner(config, dialect, diagnosis, source.hygiene());
    this.fences = new FenceKeeper(config, dialect, diagnosis);
    this.verification = new Verification(config, dialect, diagnosis);
    this.maintenance = new Maintenance(config.dataSource(), dialect, diagnosis);
  }

  private static Dialect dialect(Database database, InboxConfig config) {
    return switch (database) {
      case POSTGRESQL -> new PostgresDialect(config);
      case MYSQL, MARIADB -> new PortableDialect(config, new MySqlFlavor(database, config));
      case H2 -> new PortableDialect(config, new H2Flavor());
    };
  }

  /** An inbox with the default settings. */
  public static JdbcInbox on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * A builder with the default settings.
   *
   * @param dataSource the plain data source, not a proxy that takes part in an outer transaction
   */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  @Override
  public InboxOutcome process(InboxEntry entry, Effect effect) throws Exception {
    return effects.run(requireNonNull(entry, "entry"), requireNonNull(effect, "effect"));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Costs one round trip for the claims, what the effect costs, one more with fences, and the
   * commit. Versions cost up to two more unless all events are fresh, each entity occurs once, and
   * all take the LATEST version of the inbox's own table. Some hundred entries are a good size.
   */
  @Override
  public List<InboxOutcome> processAll(List<InboxEntry> entries, BatchEffect effect)
      throws Exception {
    return effects.run(List.copyOf(entries), requireNonNull(effect, "effect"));
  }

  @Override
  public Fence takeFence(FenceScope scope) throws InboxUnavailableException {
    return fences.take(requireNonNull(scope, "scope"));
  }

  @Override
  public Optional<Duration> window() {
    return config.window();
  }

  /**
   * {@inheritDoc}
   *
   * <p>On PostgreSQL it makes a partition of the dedupe table for each bucket of the window and of
   * the next week, and drops those beyond the window. Each step waits for locks for moments only,
   * and is left for the next call when the table is busy. What is to be forgotten is noted by one
   * call, and forgotten by a call at least ten minutes (and the lock timeout) later. When the data
   * source's user does not own the tables, rows are deleted instead, in batches of 5,000; a warning
   * says so once. On other databases the table has no partitions, and rows are deleted in such
   * batches. Events without a time are never forgotten.
   */
  @Override
  public void maintain() throws InboxUnavailableException {
    maintenance.maintain();
  }

  /** How many connections were dropped because a bound setting had a value from before. */
  public long leakedSettings() {
    return effects.leaks();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Runs on a helper thread of which there is at most one: when a data source hangs for ever,
   * every further call waits for that helper, up to its own timeout.
   *
   * @throws IllegalArgumentException if the timeout is not positive
   */
  @Override
  public void verify(Duration timeout) throws InboxUnavailableException {
    verification.run(requirePositive("timeout", timeout));
  }

  @Override
  public void verify(InboxEntry.GuardedRow row, Duration timeout) {
    verification.run(requireNonNull(row, "row"), requirePositive("timeout", timeout));
  }

  @Override
  public Optional<Set<String>> boundSettings() {
    return Optional.of(Set.copyOf(config.boundSettings()));
  }

  /** What the connection checks of {@link Builder#hygiene} have done. Always there. */
  @Override
  public Optional<HygieneCounts> hygiene() {
    return Optional.of(source.hygiene().monitor().counts());
  }

  /** How long effects wait for a connection, and how full the pool is. Always there. */
  @Override
  public Optional<PoolFigures> pool() {
    return Optional.of(source.metered().figures());
  }

  /**
   * Creates the tables that are missing, and the schema when one was named and is missing. Harmless
   * when they exist, then no right to create is needed, and when several processes call it at once.
   * It runs the script {@link Database#script} of this jar, which can be run by a migration tool
   * instead.
   *
   * @throws InboxUnavailableException if the database cannot be reached or refuses
   */
  public void createSchema() throws InboxUnavailableException {
    maintenance.createSchema();
  }

  private static Duration requirePositive(String name, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException(name + " must be positive: " + duration);
    }
    return duration;
  }

  /** Settings of an inbox. Not thread-safe. */
  public static final class Builder {
    private final DataSource dataSource;
    private final InboxSettings settings;

    private Builder(DataSource dataSource) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
      this.settings = new InboxSettings(dataSource.getClass().getSimpleName());
    }

    /** What messages call the data source. Default: the simple name of its class. */
    public Builder dataSourceName(String name) {
      settings.dataSourceName = requireNonNull(name, "name");
      return this;
    }

    /**
     * Which database it is. Default: what the first connection's driver says ({@link
     * java.sql.DatabaseMetaData#getDatabaseProductName}). Say it for a compatible database under
     * another name, or to have settings that it cannot keep refused by {@link #build} already. A
     * connection that turns out to lead to another one of {@link Database} is refused by {@link
     * JdbcInbox#verify} and by the first use; MySQL and MariaDB pass for each other.
     */
    public Builder database(Database database) {
      settings.database = requireNonNull(database, "database");
      return this;
    }

    /**
     * The schema of the inbox's tables, spelled as the database stores it; on MySQL and MariaDB a
     * database. Default: that of the connection, on PostgreSQL found on its search path.
     */
    public Builder schema(String schema) {
      settings.schema = requireNonNull(schema, "schema");
      return this;
    }

    /** What the table names start with: a-z, 0-9 and _. Default: {@code onceward_}. */
    public Builder tablePrefix(String prefix) {
      settings.tablePrefix = requireNonNull(prefix, "prefix");
      return this;
    }

    /**
     * How long a statement of an effect's transaction, the handler's included, waits for a lock,
     * for example for a concurrent duplicate to finish. Set for the transaction only. Default: 10
     * s; zero keeps what the data source's sessions have. On databases other than PostgreSQL it
     * cannot be set, and sessions keep what they have: 50 s on MySQL and MariaDB and 2 s on H2,
     * unless their settings say otherwise.
     */
    public Builder lockTimeout(Duration timeout) {
      settings.lockTimeout = InboxSettings.requireMillis("lockTimeout", timeout);
      return this;
    }

    /**
     * How long an effect's transaction may wait for the handler's next statement (PostgreSQL's
     * idle_in_transaction_session_timeout, for the transaction only). Then the database ends it and
     * closes the connection, so that a frozen process does not hold its rows for ever; a handler
     * that only took too long gets a {@link CommitRefusedException} that says so. Default: 60 s;
     * zero keeps what the data source's sessions have. On databases other than PostgreSQL it cannot
     * be set, and there is none unless the sessions have one.
     */
    public Builder idleTimeout(Duration timeout) {
      settings.idleTimeout = InboxSettings.requireMillis("idleTimeout", timeout);
      return this;
    }

    /**
     * Settings that entries bind for their transaction ({@link InboxEntry#withSetting}), such as a
     * tenant for row-level security. Each transaction's first statement checks that none of them
     * has a value from before, whether the entry binds it or not; a connection on which one has is
     * dropped, and {@link InboxUnavailableException} thrown. They must have no default in the
     * database, the role or the connection's options. PostgreSQL only. Default: none.
     *
     * @param names custom settings, with a dot, as {@code SHOW} spells them
     * @throws IllegalArgumentException if a name is not that of a custom setting
     */
    public Builder boundSettings(String... names) {
      settings.boundSettings = InboxSettings.requireCustom(names);
      return this;
    }

    /**
     * How long events are remembered at least, counted from their own time, by the database's
     * clock. It must be longer than events can come back: longer than the topics' retention, and
     * the age at which dead letters are replayed. Default: 30 days, which is Kafka's default
     * retention of 7 days and three weeks for dead letters; at about 100 bytes an event.
     *
     * @param window at least a bucketWidth, at most 400 of them
     */
    public Builder window(Duration window) {
      settings.window = Optional.of(window);
      return this;
    }

    /** Remembers events for ever. The table only grows then. */
    public Builder keepForever() {
      settings.window = Optional.empty();
      return this;
    }

    /**
     * What becomes of idempotent events older than the window. Default: {@link
     * BeyondWindow#DEAD_LETTER}.
     */
    public Builder beyondWindow(BeyondWindow policy) {
      settings.beyondWindow = requireNonNull(policy, "policy");
      return this;
    }

    /**
     * How much time one partition of the dedupe table holds. It is fixed when the tables are
     * created; an inbox with another width is refused. Default: a day.
     *
     * @param width whole seconds, an hour to 366 days
     */
    public Builder bucketWidth(Duration width) {
      settings.bucketWidth = requireNonNull(width, "width");
      return this;
    }

    /**
     * The isolation level of effects' transactions, set for the transaction only. Default: the
     * level of the data source's sessions, which is READ COMMITTED unless it was changed, and best
     * for the inbox; on MySQL and MariaDB READ COMMITTED, whatever the sessions have, and
     * SERIALIZABLE cannot be had. On H2 it cannot be set.
     */
    public Builder isolation(TransactionIsolation isolation) {
      settings.isolation = requireNonNull(isolation, "isolation");
      return this;
    }

    /**
     * How often a transaction is repeated after a serialization failure, a deadlock or a lock
     * timeout (SQLSTATE 40001, 40P01, 55P03, and what MySQL, MariaDB and H2 say for them), wherever
     * it arises. Then the last failure is thrown. Default: 5; 0 for never.
     */
    public Builder transactionRetries(int retries) {
      settings.transactionRetries = retries;
      return this;
    }

    /**
     * How long to wait before a repeat: a random time up to {@code initial}, which doubles with
     * each repeat up to {@code max}, at most a day. Default: 10 ms and 500 ms.
     */
    public Builder retryBackoff(Duration initial, Duration max) {
      settings.initialBackoff = requireNonNull(initial, "initial");
      settings.maxBackoff = requireNonNull(max, "max");
      return this;
    }

    /**
     * What is checked on a connection before the commit of an effect and when it is given back, and
     * what follows when the handler has left something on it. Default: the settings of the data
     * source if it is a {@link HygienicDataSource}, else {@link ConnectionHygiene#standard}.
     *
     * <p>With {@link ConnectionHygiene.OnLeak#FAIL}, the default, a handler that left something
     * fails with a {@link dev.onceward.dedupe.hygiene.HygieneViolationException} before its commit,
     * so nothing of it is committed. What PostgreSQL shows only after the commit, state that a
     * function left, ends in an evicted connection and an error in the log the first times; from
     * then on the same handler fails before its commit as well.
     *
     * <p>Only sessions of PostgreSQL can be checked. On other databases the handler's connection
     * refuses statements that are known to change the session, and that is all.
     */
    public Builder hygiene(ConnectionHygiene hygiene) {
      settings.hygiene = requireNonNull(hygiene, "hygiene");
      return this;
    }

    /**
     * Tells how full the connection pool is, for {@link JdbcInbox#pool}. Not needed for HikariCP
     * pools, which are found out by themselves. Called by any thread, often; must be quick.
     *
     * @param usage may return null where it does not know
     */
    public Builder poolUsage(Supplier<? extends @Nullable PoolUsage> usage) {
      settings.poolUsage = requireNonNull(usage, "usage");
      return this;
    }

    /**
     * Builds the inbox. Does not connect; see {@link JdbcInbox#verify}.
     *
     * @throws IllegalArgumentException if a setting is out of range, or cannot be kept on the
     *     {@link #database} that was named; the message names it
     */
    public JdbcInbox build() {
      InboxSource source = InboxSource.of(dataSource, settings.hygiene, settings.poolUsage);
      return new JdbcInbox(settings.config(source.metered()), source);
    }
  }
}
