package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.ConnectionHygiene.OnLeak;
import dev.onceward.dedupe.hygiene.HygieneViolationException;
import dev.onceward.dedupe.hygiene.Leak;
import dev.onceward.dedupe.hygiene.LeakKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Watches one transaction of the inbox. Confined to its thread.
 *
 * <p>Before the commit some leaks can be proved: by the text of a statement, by unlocking what the
 * session has locked, by a cursor that says that it is holdable. Of a setting that changed inside a
 * function, or a temporary table made there, PostgreSQL does not tell before the commit whether it
 * ends with the transaction. Such a doubt is settled right after the commit, by asking again; a
 * handler that was found guilty so is known from then on, and fails before its commit.
 */
public final class Inspection {
  private final HygieneMonitor monitor;
  private final Offenders offenders;
  private final DataSource pool;
  private final Connection connection;
  private final Baseline clean;
  private final boolean chosen;
  private final Set<String> sets = new HashSet<>();
  private final Map<String, Boolean> temporary = new HashMap<>();
  private String handler = "";
  private String what = "an effect";
  private @Nullable ServerState before;
  private boolean started;
  private boolean suspicious;
  private boolean violated;
  private boolean evicted;
  private @Nullable String site;

  Inspection(HygieneMonitor monitor, Offenders offenders, DataSource pool, Connection connection)
      throws SQLException {
    this.monitor = monitor;
    this.offenders = offenders;
    this.pool = pool;
    this.connection = connection;
    this.clean = monitor.baseline(connection);
    this.chosen = monitor.choose();
  }

  /**
   * A handler is about to run, in the open transaction.
   *
   * @param handler its id
   * @param what what it does, for messages
   */
  public void handlerStarts(String handler, String what) throws SQLException {
    this.handler = handler;
    this.what = what;
    started = true;
    if (monitor.onLeak() == OnLeak.FAIL && isThorough() && clean.asksServer()) {
      before = monitor.ask(connection);
    }
  }

  /** A statement of the handler. */
  public void sees(String sql) {
    SessionTraits traits = monitor.traits(sql);
    if (traits.suspicious()) {
      suspicious = true;
      sets.addAll(traits.sets());
      temporary.putAll(traits.temporary());
      if (site == null) {
        site = Sites.here();
      }
    }
  }

  private boolean isThorough() {
    return chosen || suspicious || offenders.knows(handler);
  }

  /**
   * Looks for what the handler has left, before anything is committed.
   *
   * @throws HygieneViolationException if that is proved
   */
  public void beforeCommit() throws SQLException {
    if (monitor.onLeak() != OnLeak.FAIL || !isThorough() || !clean.asksServer()) {
      return;
    }
    monitor.countServerCheck();
    List<Leak> leaks = proved(monitor.ask(connection));
    leaks.removeIf(leak -> monitor.ignores(leak.kind()));
    if (!leaks.isEmpty()) {
      violated = true;
      throw monitor.violation("rolled back " + what + ": the handler", leaks, site);
    }
  }

  private List<Leak> proved(ServerState now) throws SQLException {
    List<Leak> leaks = new ArrayList<>();
    for (String name : clean.changed(now)) {
      boolean changedHere = before == null || isChanged(name, before, now);
      if (sets.contains(name) || (changedHere && offenders.knows(handler, name))) {
        leaks.add(Baseline.setting(name));
      }
    }
    List<String> tables = new ArrayList<>(now.temporary());
    if (before != null) {
      tables.removeAll(before.temporary());
    }
    tables.removeIf(
        table ->
            !temporary.getOrDefault(table, false)
                && (temporary.containsKey(table) || !offenders.knows(handler, table)));
    Baseline.add(leaks, LeakKind.TEMPORARY_TABLE, tables);
    List<String> cursors = new ArrayList<>(now.cursors());
    if (before != null) {
      cursors.removeAll(before.cursors());
    }
    Baseline.add(leaks, LeakKind.HOLDABLE_CURSOR, cursors);
    long earlier = before == null ? 0 : before.advisoryLocks();
    if (now.advisoryLocks() > earlier && !monitor.ignores(LeakKind.ADVISORY_LOCK)) {
      long released = now.advisoryLocks() - ServerQuery.releaseAdvisoryLocks(connection);
      if (released > 0) {
        leaks.add(new Leak(LeakKind.ADVISORY_LOCK, released + " held"));
      }
    }
    return leaks;
  }

  private boolean isChanged(String name, ServerState from, ServerState to) {
    int at = clean.names().indexOf(name);
    return !from.settings().get(at).equals(to.settings().get(at));
  }

  /**
   * Looks at the connection after the transaction, before it goes back. Never throws: the outcome
   * is decided.
   *
   * @return whether the connection must not be used again
   */
  public boolean isDirty() {
    if (!started) {
      return false; // no handler was there
    }
    monitor.countCheckIn();
    if (violated) {
      evicted = monitor.evict(pool, connection);
      return true;
    }
    List<Leak> leaks;
    try {
      leaks = monitor.check(connection, clean, isThorough());
    } catch (SQLException e) {
      monitor.unreadable(e);
      evicted = monitor.evict(pool, connection);
      return true;
    }
    if (leaks.isEmpty()) {
      return false;
    }
    remember(leaks);
    monitor.log(monitor.violation("the handler of " + what, leaks, site));
    if (monitor.onLeak() == OnLeak.WARN) {
      return false;
    }
    evicted = monitor.evict(pool, connection);
    return true;
  }

  /** Whether the connection is out of its pool already, and needs but to be closed. */
  public boolean isEvicted() {
    return evicted;
  }

  /** Only what can be laid to this handler: an earlier borrower may have been another. */
  private void remember(List<Leak> leaks) {
    ServerState then = before;
    if (then == null) {
      offenders.add(handler, List.of());
      return;
    }
    List<String> changedBefore = clean.changed(then);
    List<String> names = new ArrayList<>();
    for (Leak leak : leaks) {
      for (String name : leak.name().split(", ", -1)) {
        String setting = leak.kind() == LeakKind.SEARCH_PATH ? ServerQuery.SEARCH_PATH : name;
        if (!changedBefore.contains(setting) && !then.temporary().contains(setting)) {
          names.add(setting);
        }
      }
    }
    offenders.add(handler, names);
  }
}
