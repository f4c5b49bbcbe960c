package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.hygiene.Leak;
import dev.onceward.dedupe.hygiene.LeakKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a borrower sets by JDBC's own methods, beside what was there before. Asks for the former
 * value only when something is set: for some, drivers ask the server. Confined to the borrower.
 */
final class JdbcState {
  private record Change(@Nullable Object before, @Nullable Object last) {}

  /** Reads the value before a change. */
  interface Before {
    @Nullable Object read() throws SQLException;
  }

  private final Connection raw;
  private final boolean autoCommit;
  private final Map<LeakKind, Change> changes = new EnumMap<>(LeakKind.class);

  JdbcState(Connection raw) throws SQLException {
    this.raw = raw;
    this.autoCommit = raw.getAutoCommit();
  }

  /** Called before a setter of the connection. */
  void setting(String method, @Nullable Object value) throws SQLException {
    switch (method) {
      case "setReadOnly" -> change(LeakKind.READ_ONLY, value, raw::isReadOnly);
      case "setTransactionIsolation" ->
          change(LeakKind.ISOLATION, value, () -> idle(Connection::getTransactionIsolation));
      case "setSchema" -> change(LeakKind.SCHEMA, value, () -> idle(Connection::getSchema));
      case "setCatalog" -> change(LeakKind.CATALOG, value, raw::getCatalog);
      case "setNetworkTimeout" -> change(LeakKind.NETWORK_TIMEOUT, value, raw::getNetworkTimeout);
      default -> {}
    }
  }

  private void change(LeakKind kind, @Nullable Object value, Before before) throws SQLException {
    Change earlier = changes.get(kind);
    changes.put(kind, new Change(earlier == null ? before.read() : earlier.before(), value));
  }

  /** Must neither begin a transaction nor end one; null when it cannot be asked. */
  private @Nullable Object idle(IdleConnection.Read<@Nullable Object> read) throws SQLException {
    var state = HygieneMonitor.transaction(raw);
    boolean free = state == null ? raw.getAutoCommit() : state.name().equals("IDLE");
    return free ? IdleConnection.read(raw, read) : null;
  }

  void addTo(List<Leak> leaks) throws SQLException {
    if (raw.getAutoCommit() != autoCommit) {
      leaks.add(Leak.of(LeakKind.AUTOCOMMIT));
    }
    changes.forEach(
        (kind, change) -> {
          if (change.before() != null && !Objects.equals(change.before(), change.last())) {
            leaks.add(Leak.of(kind));
          }
        });
  }
}
