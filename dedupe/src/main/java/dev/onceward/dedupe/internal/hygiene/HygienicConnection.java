package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import dev.onceward.dedupe.hygiene.HygieneViolationException;
import dev.onceward.dedupe.hygiene.Leak;
import dev.onceward.dedupe.hygiene.LeakKind;
import dev.onceward.dedupe.internal.guard.TransactionProbe;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A lent connection that is checked when it is given back. */
public final class HygienicConnection implements InvocationHandler {
  private final DataSource pool;
  private final Connection raw;
  private final HygieneMonitor monitor;
  private final Baseline clean;
  private final JdbcState jdbc;
  private final boolean chosen;
  private final Set<Statement> open =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Whether something was sent since the last commit or rollback; for drivers that tell nothing.
   */
  private volatile boolean sent;

  private volatile boolean suspicious;
  private volatile boolean aborted;
  private volatile @Nullable String site;

  private HygienicConnection(DataSource pool, Connection raw, HygieneMonitor monitor)
      throws SQLException {
    this.pool = pool;
    this.raw = raw;
    this.monitor = monitor;
    this.clean = monitor.baseline(raw);
    this.jdbc = new JdbcState(raw);
    this.chosen = monitor.choose();
  }

  /** Lends a connection that the pool has just handed out. */
  public static Connection lend(DataSource pool, Connection raw, HygieneMonitor monitor)
      throws SQLException {
    try {
      return proxy(Connection.class, new HygienicConnection(pool, raw, monitor));
    } catch (SQLException | RuntimeException e) {
      try {
        raw.close();
      } catch (SQLException | RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            HygienicConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    switch (name) {
      case "equals" -> {
        return args != null && proxy == args[0];
      }
      case "hashCode" -> {
        return System.identityHashCode(proxy);
      }
      case "toString" -> {
        return "hygienic " + raw;
      }
      case "close" -> {
        giveBack();
        return null;
      }
      case "isClosed" -> {
        return closed.get() || raw.isClosed();
      }
      case "unwrap", "isWrapperFor" -> {
        Class<?> type = (Class<?>) java.util.Objects.requireNonNull(args)[0];
        if (type != null && type.isInstance(proxy)) {
          return name.equals("unwrap") ? proxy : true;
        }
        suspicious |= name.equals("unwrap"); // what is done there is not seen
      }
      case "commit", "rollback", "setAutoCommit" -> sent &= args != null && !name.startsWith("set");
      case "abort" -> aborted = true;
      default -> {
        if (name.startsWith("set") && args != null) {
          jdbc.setting(name, args[name.equals("setNetworkTimeout") ? 1 : 0]);
        }
      }
    }
    if (name.startsWith("prepare") && args != null && args[0] instanceof String sql) {
      inspect(sql);
    }
    Object result = call(raw, method, args);
    return result instanceof Statement statement ? lend(statement, (Connection) proxy) : result;
  }

  private Statement lend(Statement statement, Connection connection) {
    open.add(statement);
    InvocationHandler handler =
        (proxy, method, args) -> onStatement(proxy, method, args, statement, connection);
    if (statement instanceof CallableStatement) {
      return proxy(CallableStatement.class, handler);
    }
    return statement instanceof PreparedStatement
        ? proxy(PreparedStatement.class, handler)
        : proxy(Statement.class, handler);
  }

  private @Nullable Object onStatement(
      Object proxy,
      Method method,
      @Nullable Object @Nullable [] args,
      Statement statement,
      Connection connection)
      throws Throwable {
    String name = method.getName();
    switch (name) {
      case "equals" -> {
        return args != null && proxy == args[0];
      }
      case "hashCode" -> {
        return System.identityHashCode(proxy);
      }
      case "getConnection" -> {
        return connection;
      }
      case "close" -> open.remove(statement);
      default -> {
        if (name.startsWith("execute") || name.equals("addBatch")) {
          sent = true;
          if (args != null && args.length > 0 && args[0] instanceof String sql) {
            inspect(sql);
          }
        }
      }
    }
    return call(statement, method, args);
  }

  private void inspect(String sql) {
    if (monitor.traits(sql).suspicious()) {
      suspicious = true;
      if (site == null) {
        site = Sites.here();
      }
    }
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private void giveBack() throws SQLException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (aborted || raw.isClosed()) {
      raw.close();
      return;
    }
    monitor.countCheckIn();
    List<Leak> leaks;
    try {
      leaks = leaks();
    } catch (SQLException e) {
      monitor.unreadable(e);
      monitor.evict(pool, raw);
      raw.close();
      return;
    }
    if (leaks.isEmpty()) {
      raw.close();
    } else {
      giveBackDirty(leaks);
    }
  }

  private void giveBackDirty(List<Leak> leaks) throws SQLException {
    String where = site == null ? Sites.here() : site;
    HygieneViolationException violation =
        monitor.violation("the borrower of a connection", leaks, where);
    if (monitor.onLeak() != OnLeak.FAIL) {
      monitor.log(violation);
    }
    boolean evicts = monitor.onLeak() != OnLeak.WARN;
    if (evicts) {
      monitor.evict(pool, raw);
    }
    try {
      raw.close();
    } catch (SQLException | RuntimeException e) {
      if (!evicts) {
        throw e;
      }
      violation.addSuppressed(e); // it was ended a moment ago
    }
    if (monitor.onLeak() == OnLeak.FAIL) {
      throw violation;
    }
  }

  private List<Leak> leaks() throws SQLException {
    List<Leak> leaks = new ArrayList<>();
    TransactionProbe.State state = HygieneMonitor.transaction(raw);
    boolean idle =
        state == null ? raw.getAutoCommit() || !sent : state == TransactionProbe.State.IDLE;
    if (!idle) {
      leaks.add(
          Leak.of(
              state == TransactionProbe.State.FAILED
                  ? LeakKind.FAILED_TRANSACTION
                  : LeakKind.OPEN_TRANSACTION));
    }
    jdbc.addTo(leaks);
    addOpenStatements(leaks);
    leaks.removeIf(leak -> monitor.ignores(leak.kind()));
    if (idle) {
      leaks.addAll(monitor.check(raw, clean, chosen || suspicious));
    }
    return leaks;
  }

  private void addOpenStatements(List<Leak> leaks) throws SQLException {
    int left = 0;
    synchronized (open) {
      for (Statement statement : open) {
        if (!statement.isClosed()) {
          left++;
        }
      }
    }
    if (left > 0) {
      leaks.add(new Leak(LeakKind.STATEMENT, left + " of them"));
    }
  }
}
