package dev.onceward.dedupe.internal.hygiene;

import dev.onceward.dedupe.internal.guard.TransactionProbe.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/** What pgjdbc knows of a session without asking: what the server reports on its own. */
final class DriverSession {
  /** The driver is optional: another one, or one in another class loader, may be in use. */
  private static final boolean DRIVER_PRESENT = isPresent();

  /**
   * What a borrower may change. The server tells the driver of more: facts that change on their own
   * (in_hot_standby), and application_name, which is a label and no state.
   */
  private static final Set<String> WATCHED =
      Set.of(
          "DateStyle",
          "IntervalStyle",
          "TimeZone",
          "client_encoding",
          "default_transaction_read_only",
          "search_path",
          "session_authorization",
          "standard_conforming_strings");

  private final BaseConnection connection;

  private DriverSession(BaseConnection connection) {
    this.connection = connection;
  }

  /** The session of the connection, or null when the driver does not tell. */
  static @Nullable DriverSession on(Connection connection) throws SQLException {
    return DRIVER_PRESENT ? Unwrap.session(connection) : null;
  }

  State state() {
    return switch (connection.getTransactionState()) {
      case IDLE -> State.IDLE;
      case OPEN -> State.OPEN;
      case FAILED -> State.FAILED;
    };
  }

  Map<String, String> parameters() {
    Map<String, String> watched = new HashMap<>();
    for (String name : WATCHED) {
      String value = connection.getParameterStatus(name);
      if (value != null) {
        watched.put(name, value);
      }
    }
    return watched;
  }

  private static boolean isPresent() {
    try {
      Class.forName(
          "org.postgresql.core.BaseConnection", false, DriverSession.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Apart, so that the driver's classes are looked for only where they are. */
  private static final class Unwrap {
    static @Nullable DriverSession session(Connection connection) throws SQLException {
      return connection.isWrapperFor(BaseConnection.class)
          ? new DriverSession(connection.unwrap(BaseConnection.class))
          : null;
    }
  }
}
