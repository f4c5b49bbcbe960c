package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import dev.onceward.dedupe.hygiene.HygieneCounts;
import dev.onceward.dedupe.hygiene.HygieneViolationException;
import dev.onceward.dedupe.hygiene.Leak;
import dev.onceward.dedupe.hygiene.LeakKind;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of one data source: its settings, what a clean connection of it looks like, and what
 * was found. Thread-safe.
 */
public final class HygieneMonitor {
  private static final Logger LOG = LoggerFactory.getLogger("dev.onceward.dedupe.hygiene");

  private final ConnectionHygiene config;
  private final ServerQuery query;
  private final TraitsCache texts = new TraitsCache();
  private final LongAdder checkIns = new LongAdder();
  private final LongAdder serverChecks = new LongAdder();
  private final LongAdder violations = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder unreadable = new LongAdder();
  private final Map<LeakKind, LongAdder> leaks = new EnumMap<>(LeakKind.class);
  private volatile @Nullable Baseline baseline;

  public HygieneMonitor(ConnectionHygiene config) {
    this.config = config;
    this.query = new ServerQuery(config.settings().keySet());
    for (LeakKind kind : LeakKind.values()) {
      leaks.put(kind, new LongAdder());
    }
  }

  public boolean isOn() {
    return config.isOn();
  }

  public HygieneCounts counts() {
    Map<LeakKind, Long> found = new EnumMap<>(LeakKind.class);
    leaks.forEach(
        (kind, count) -> {
          if (count.sum() > 0) {
            found.put(kind, count.sum());
          }
        });
    return new HygieneCounts(
        checkIns.sum(),
        serverChecks.sum(),
        violations.sum(),
        evictions.sum(),
        unreadable.sum(),
        found);
  }

  OnLeak onLeak() {
    return config.onLeak();
  }

  boolean ignores(LeakKind kind) {
    return config.ignored().contains(kind);
  }

  /** Whether this connection is one of those that are checked without a reason. */
  boolean choose() {
    double rate = config.checkRate();
    return rate >= 1 || (rate > 0 && ThreadLocalRandom.current().nextDouble() < rate);
  }

  SessionTraits traits(String sql) {
    return texts.of(sql);
  }

  /** What a clean connection looks like; the first one shows. No transaction is open on it. */
  Baseline baseline(Connection connection) throws SQLException {
    Baseline known = baseline;
    if (known == null) {
      known = take(connection);
      baseline = known; // two first ones at once: either will do
    }
    return known;
  }

  private Baseline take(Connection connection) throws SQLException {
    DriverSession driver = DriverSession.on(connection);
    Map<String, String> parameters = driver == null ? Map.of() : driver.parameters();
    String product = connection.getMetaData().getDatabaseProductName();
    if (!"PostgreSQL".equals(product)) {
      return new Baseline(query.names(), null, parameters);
    }
    List<String> settings =
        new ArrayList<>(IdleConnection.read(connection, query::read).settings());
    config
        .settings()
        .forEach(
            (name, expected) -> {
              if (expected != null) {
                settings.set(query.names().indexOf(name.toLowerCase(Locale.ROOT)), expected);
              }
            });
    return new Baseline(query.names(), List.copyOf(settings), parameters);
  }

  /** Asks the server; any state of transaction but a failed one. */
  ServerState ask(Connection connection) throws SQLException {
    return query.read(connection);
  }

  /**
   * Checks a session without a transaction: what the driver knows; settings, if any are watched;
   * and, if {@code thorough}, all that the server says.
   */
  List<Leak> check(Connection connection, Baseline clean, boolean thorough) throws SQLException {
    List<Leak> found = new ArrayList<>();
    DriverSession driver = DriverSession.on(connection);
    if (driver != null) {
      found.addAll(clean.compare(driver.parameters()));
    }
    boolean all = thorough || !found.isEmpty();
    if (clean.asksServer() && (all || !config.settings().isEmpty())) {
      serverChecks.increment();
      ServerState now = IdleConnection.read(connection, all ? query::read : query::readSettings);
      for (Leak leak : clean.compare(now)) {
        if (!found.contains(leak)) {
          found.add(leak);
        }
      }
    }
    found.removeIf(leak -> ignores(leak.kind()));
    if (clean.asksServer() && found.stream().anyMatch(HygieneMonitor::isSetting)) {
      forgive(connection, clean, driver, found);
    }
    return found;
  }

  /**
   * Takes out the settings that the session has begun with: then nobody has left them, but the
   * defaults of the database or the role were changed meanwhile. From now on that is clean, unless
   * the user has said what is.
   */
  private void forgive(
      Connection connection, Baseline clean, @Nullable DriverSession driver, List<Leak> found)
      throws SQLException {
    Set<String> asBegun =
        IdleConnection.read(
            connection,
            asked ->
                ServerQuery.asBegun(
                    asked,
                    found.stream()
                        .filter(HygieneMonitor::isSetting)
                        .map(HygieneMonitor::nameOf)
                        .filter(name -> !isExpected(name))
                        .toList()));
    if (asBegun.isEmpty()) {
      return;
    }
    found.removeIf(leak -> isSetting(leak) && asBegun.contains(nameOf(leak)));
    baseline =
        clean.with(
            asBegun,
            IdleConnection.read(connection, query::readSettings),
            driver == null ? Map.of() : driver.parameters());
  }

  private static boolean isSetting(Leak leak) {
    return leak.kind() == LeakKind.SETTING || leak.kind() == LeakKind.SEARCH_PATH;
  }

  private static String nameOf(Leak leak) {
    return leak.kind() == LeakKind.SEARCH_PATH
        ? ServerQuery.SEARCH_PATH
        : leak.name().toLowerCase(Locale.ROOT);
  }

  private boolean isExpected(String name) {
    return config.settings().entrySet().stream()
        .anyMatch(each -> each.getValue() != null && each.getKey().equalsIgnoreCase(name));
  }

  /** The state of the transaction, or null when the driver does not tell. */
  static TransactionProbe.@Nullable State transaction(Connection connection) throws SQLException {
    DriverSession driver = DriverSession.on(connection);
    return driver == null ? null : driver.state();
  }

  void countCheckIn() {
    checkIns.increment();
  }

  void countServerCheck() {
    serverChecks.increment();
  }

  /** Counts a violation and tells the listener. */
  HygieneViolationException violation(String borrower, List<Leak> found, @Nullable String site) {
    violations.increment();
    for (Leak leak : found) {
      LongAdder count = leaks.get(leak.kind());
      if (count != null) {
        count.increment();
      }
    }
    HygieneViolationException violation = new HygieneViolationException(borrower, found, site);
    try {
      config.listener().accept(violation);
    } catch (RuntimeException e) {
      LOG.warn("The listener of hygiene violations failed", e);
    }
    return violation;
  }

  /** Logs a violation that nobody gets to see otherwise. */
  void log(HygieneViolationException violation) {
    if (config.onLeak() == OnLeak.WARN) {
      LOG.warn("{}; the connection is used again", violation.getMessage());
    } else {
      LOG.error("{}; the connection is evicted", violation.getMessage());
    }
  }

  /** A connection whose state could not be read is never handed on. */
  void unreadable(SQLException why) {
    unreadable.increment();
    LOG.warn("Cannot check a connection that is given back; it is evicted", why);
  }

  /**
   * Takes the connection out of the pool, or ends it at least.
   *
   * @return whether it is out of the pool
   */
  boolean evict(DataSource pool, Connection connection) {
    evictions.increment();
    try {
      config.evictor().evict(pool, connection);
      return true;
    } catch (SQLException | RuntimeException e) {
      LOG.warn("Cannot evict a dirty connection; it is aborted", e);
      try {
        connection.abort(Runnable::run);
      } catch (SQLException | RuntimeException again) {
        LOG.error("Cannot abort a dirty connection; IT MAY BE USED AGAIN", again);
      }
      return false;
    }
  }
}
