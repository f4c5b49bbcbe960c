package dev.onceward.dedupe.hygiene;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is checked when a connection is given back, and what follows when something was left on it.
 * Immutable; give it to {@link HygienicDataSource#over} or {@link
 * dev.onceward.dedupe.JdbcInbox.Builder#hygiene}.
 *
 * <p>Two kinds of checks. The <b>cheap</b> ones run always and ask nobody: transaction state,
 * autocommit and the like, parameters that the server reports by itself, open statements. The
 * <b>server check</b> is one query (PostgreSQL only): settings, role, search path, advisory locks,
 * temporary tables, channels and holdable cursors. It runs at the {@link Builder#checkRate} and,
 * whatever that is, whenever the text of a statement looked as if it left something. When settings
 * are {@link Builder#watch watched}, a small query for settings, role and search path runs on every
 * other connection too, so that none of them is missed.
 *
 * <p>Nothing that ends with the transaction is ever taken for a leak: {@code SET LOCAL}, {@code
 * set_config(..., true)}, {@code pg_advisory_xact_lock}, tables with {@code ON COMMIT DROP}.
 */
public final class ConnectionHygiene {
  private static final Pattern SETTING =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*)*");

  /** One connection in a hundred. */
  private static final double SAMPLED = 0.01;

  private final boolean on;
  private final OnLeak onLeak;
  private final Map<String, @Nullable String> settings;
  private final Set<LeakKind> ignored;
  private final double checkRate;
  private final Evictor evictor;
  private final Consumer<HygieneViolationException> listener;

  private ConnectionHygiene(Builder builder, boolean on) {
    this.on = on;
    this.onLeak = builder.onLeak;
    this.settings = Collections.unmodifiableMap(new LinkedHashMap<>(builder.settings));
    this.ignored = Collections.unmodifiableSet(EnumSet.copyOf(builder.ignored));
    this.checkRate = builder.checkRate;
    this.evictor = builder.evictor;
    this.listener = builder.listener;
  }

  /** What follows when something was left on a connection. Every leak is counted. */
  public enum OnLeak {
    /**
     * The borrower fails with a {@link HygieneViolationException}, and the connection is evicted.
     */
    FAIL,
    /** The connection is evicted and an error is logged; the borrower notices nothing. */
    EVICT,
    /** A warning is logged; <b>the connection is used again as it is</b>. */
    WARN
  }

  /** The defaults of {@link #builder}: for production, without settings of your own. */
  public static ConnectionHygiene standard() {
    return builder().build();
  }

  /** For tests: as {@link #standard}, and the server check runs on every connection. */
  public static ConnectionHygiene strict() {
    return builder().checkRate(1).build();
  }

  /** No checks at all. */
  public static ConnectionHygiene off() {
    return new ConnectionHygiene(new Builder(), false);
  }

  /** A builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether anything is checked. */
  public boolean isOn() {
    return on;
  }

  /** What follows a leak. */
  public OnLeak onLeak() {
    return onLeak;
  }

  /** The watched settings and their expected values; null: that of the first connection. */
  public Map<String, @Nullable String> settings() {
    return settings;
  }

  /** The kinds that are not looked for. */
  public Set<LeakKind> ignored() {
    return ignored;
  }

  /** The share of connections on which the whole server check runs without a reason, 0 to 1. */
  public double checkRate() {
    return checkRate;
  }

  /** How a dirty connection is taken out of its pool. */
  public Evictor evictor() {
    return evictor;
  }

  /** Who is told of violations. */
  public Consumer<HygieneViolationException> listener() {
    return listener;
  }

  /** Builds a {@link ConnectionHygiene}; not thread-safe. */
  public static final class Builder {
    private OnLeak onLeak = OnLeak.FAIL;
    private final Map<String, @Nullable String> settings = new LinkedHashMap<>();
    private final Set<LeakKind> ignored = EnumSet.noneOf(LeakKind.class);
    private double checkRate = SAMPLED;
    private Evictor evictor = Evictor.standard();
    private Consumer<HygieneViolationException> listener = violation -> {};

    private Builder() {}

    /** What follows a leak; default {@link OnLeak#FAIL}. */
    public Builder onLeak(OnLeak onLeak) {
      this.onLeak = requireNonNull(onLeak, "onLeak");
      return this;
    }

    /**
     * Watches settings on every connection that is given back, besides those that a server check
     * looks at in any case (role, session_authorization, search_path,
     * default_transaction_isolation, default_transaction_read_only, statement_timeout,
     * lock_timeout, row_security, session_replication_role). Custom ones such as {@code
     * app.tenant_id} must be named, because the server lists them nowhere. A setting that was never
     * set and one that is empty count as equal: a custom setting is empty, not unset, after the
     * transaction it was set for.
     *
     * @param names as {@code SET} takes them
     * @throws IllegalArgumentException if a name cannot be one
     */
    public Builder watch(String... names) {
      for (String name : names) {
        settings.put(requireSetting(name), null);
      }
      return this;
    }

    /**
     * Watches a setting and states the value that it has on a clean connection, for example {@code
     * expect("search_path", "app, public")}. Without, the first connection of the data source shows
     * what a clean one is.
     *
     * @throws IllegalArgumentException if the name cannot be one
     */
    public Builder expect(String name, String value) {
      settings.put(requireSetting(name), requireNonNull(value, "value"));
      return this;
    }

    private static String requireSetting(String name) {
      if (!SETTING.matcher(requireNonNull(name, "name")).matches()) {
        throw new IllegalArgumentException(
            "'" + name + "' is no name of a setting; name it as SET takes it, as in app.tenant_id");
      }
      return name;
    }

    /** Does not look for these kinds; see {@link LeakKind#jdbcState}. */
    public Builder ignoring(Collection<LeakKind> kinds) {
      ignored.addAll(kinds);
      return this;
    }

    /** Does not look for these kinds. */
    public Builder ignoring(LeakKind... kinds) {
      return ignoring(Set.of(kinds));
    }

    /**
     * On which share of connections the whole server check runs even if no statement gives a
     * reason. Default: 0.01. A check costs the borrower one round trip to the database; the inbox
     * makes up to three.
     *
     * @param rate 0 (never) to 1 (always)
     * @throws IllegalArgumentException if the rate is out of range
     */
    public Builder checkRate(double rate) {
      if (!(rate >= 0 && rate <= 1)) {
        throw new IllegalArgumentException("checkRate must be 0 to 1: " + rate);
      }
      this.checkRate = rate;
      return this;
    }

    /** Takes dirty connections out of their pool; default {@link Evictor#standard}. */
    public Builder evictor(Evictor evictor) {
      this.evictor = requireNonNull(evictor, "evictor");
      return this;
    }

    /**
     * Is told of each violation, whatever follows from it, on the borrower's thread. What it throws
     * is logged. Default: nobody.
     */
    public Builder listener(Consumer<HygieneViolationException> listener) {
      this.listener = requireNonNull(listener, "listener");
      return this;
    }

    /** Builds it. */
    public ConnectionHygiene build() {
      return new ConnectionHygiene(this, true);
    }
  }
}
