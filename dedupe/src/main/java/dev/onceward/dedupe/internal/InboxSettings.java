package dev.onceward.dedupe.internal;

import dev.onceward.dedupe.BeyondWindow;
import dev.onceward.dedupe.Database;
import dev.onceward.dedupe.TransactionIsolation;
import dev.onceward.dedupe.hygiene.ConnectionHygiene;
import dev.onceward.dedupe.hygiene.PoolUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What an inbox's builder was told so far, and the defaults. Not thread-safe. */
public final class InboxSettings {
  private static final Pattern CUSTOM_SETTING =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)+");

  public String dataSourceName;
  public @Nullable String schema;
  public String tablePrefix = TableNames.DEFAULT_PREFIX;
  public @Nullable Database database;
  public @Nullable Duration lockTimeout;
  public @Nullable Duration idleTimeout;
  public List<String> boundSettings = List.of();
  public Optional<Duration> window = Optional.of(Duration.ofDays(30));
  public Duration bucketWidth = Duration.ofDays(1);
  public BeyondWindow beyondWindow = BeyondWindow.DEAD_LETTER;
  public @Nullable TransactionIsolation isolation;
  public int transactionRetries = 5;
  public Duration initialBackoff = Duration.ofMillis(10);
  public Duration maxBackoff = Duration.ofMillis(500);
  public @Nullable ConnectionHygiene hygiene;
  public @Nullable Supplier<? extends @Nullable PoolUsage> poolUsage;

  public InboxSettings(String dataSourceName) {
    this.dataSourceName = dataSourceName;
  }

  /** The time limit, if it is one that databases take. */
  public static Duration requireMillis(String name, Duration timeout) {
    if (timeout.isNegative() || timeout.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException(name + " must be 0 to 24 days: " + timeout);
    }
    return timeout;
  }

  /** The names, if they are those of custom settings. */
  public static List<String> requireCustom(String... names) {
    for (String name : names) {
      if (!CUSTOM_SETTING.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "boundSettings must be custom settings of letters, digits and _ with a dot, such as"
                + " app.tenant_id: "
                + name);
      }
    }
    return List.of(names);
  }

  /**
   * The settings as an inbox uses them, over a data source.
   *
   * @throws IllegalArgumentException if a setting is out of range, or cannot be kept on the
   *     database that was named
   */
  public InboxConfig config(DataSource dataSource) {
    Demands demands = demands();
    if (database != null) {
      demands
          .refusal(database)
          .ifPresent(
              refusal -> {
                throw new IllegalArgumentException(refusal);
              });
    }
    return new InboxConfig(
        dataSource,
        dataSourceName,
        new TableNames(schema, tablePrefix),
        lockTimeout == null ? Duration.ofSeconds(10) : lockTimeout,
        idleTimeout == null ? Duration.ofSeconds(60) : idleTimeout,
        isolation,
        new RetryPolicy(transactionRetries, initialBackoff, maxBackoff),
        boundSettings,
        Buckets.of(bucketWidth),
        window,
        beyondWindow,
        database,
        demands);
  }

  /** What was asked for, as against what is there by default. */
  private Demands demands() {
    List<String> asked = new ArrayList<>();
    if (!boundSettings.isEmpty()) {
      asked.add(Demands.BOUND_SETTINGS);
    }
    if (lockTimeout != null && !lockTimeout.isZero()) {
      asked.add(Demands.LOCK_TIMEOUT);
    }
    if (idleTimeout != null && !idleTimeout.isZero()) {
      asked.add(Demands.IDLE_TIMEOUT);
    }
    if (isolation != null) {
      asked.add(
          isolation == TransactionIsolation.SERIALIZABLE
              ? Demands.SERIALIZABLE
              : Demands.ISOLATION);
    }
    if (hygiene != null && hygiene.isOn()) {
      asked.add(Demands.HYGIENE);
    }
    return new Demands(asked);
  }
}
