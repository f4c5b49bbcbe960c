package dev.onceward.dedupe.internal;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What SQLSTATE codes mean for the inbox. Never messages: servers translate those. */
public final class SqlStates {
  public static final String FAILED_TRANSACTION = "25P02";
  public static final String READ_ONLY_TRANSACTION = "25006";
  public static final String UNDEFINED_TABLE = "42P01";
  public static final String UNDEFINED_COLUMN = "42703";
  public static final String UNDEFINED_SCHEMA = "3F000";
  public static final String INSUFFICIENT_PRIVILEGE = "42501";
  public static final String IDLE_IN_TRANSACTION = "25P03";
  public static final String SERIALIZATION_FAILURE = "40001";
  public static final String CHECK_VIOLATION = "23514";
  public static final String UNIQUE_VIOLATION = "23505";
  public static final String LOCK_NOT_AVAILABLE = "55P03";
  public static final String ACTIVE_TRANSACTION = "25001";
  public static final String CARDINALITY_VIOLATION = "21000";

  /** Serialization failure, deadlock, lock not available: the whole transaction can be repeated. */
  private static final Set<String> REPEATABLE = Set.of(SERIALIZATION_FAILURE, "40P01", "55P03");

  /** Shut down by an administrator or a crash, cannot connect now, idle timeouts. */
  private static final Set<String> TERMINATED =
      Set.of("57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04");

  private static final int DEEPEST_CAUSE = 20;

  private SqlStates() {}

  /** Whether the failure, or what caused it, goes away when the transaction is repeated. */
  static boolean isRepeatable(Throwable failure, Dialect dialect) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException sql && REPEATABLE.contains(dialect.sqlState(sql))) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether PostgreSQL means so. */
  public static boolean isRepeatable(SQLException failure) {
    return REPEATABLE.contains(of(failure));
  }

  /** Whether the database or the way to it failed, rather than the statement. */
  static boolean isInfrastructure(SQLException failure, Dialect dialect) {
    String state = dialect.sqlState(failure);
    return state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("58")
        || TERMINATED.contains(state);
  }

  public static boolean is(@Nullable Throwable failure, String state) {
    return failure instanceof SQLException sql && state.equals(of(sql));
  }

  /** The SQLSTATE as the driver gives it, or an empty text. */
  public static String of(SQLException failure) {
    String state = failure.getSQLState();
    return state == null ? "" : state;
  }
}
