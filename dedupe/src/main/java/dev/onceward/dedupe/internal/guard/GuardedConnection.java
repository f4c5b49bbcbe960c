package dev.onceward.dedupe.internal.guard;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** The connection a handler sees. */
final class GuardedConnection extends GuardedObject {
  GuardedConnection(TransactionGuard guard, Connection raw) {
    super(guard, raw);
  }

  @Override
  @Nullable Object intercept(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (guard.isEnded() && name.equals("close")) {
      return null; // JDBC: closing a closed connection does nothing
    }
    if (name.equals("isClosed")) {
      return guard.isEnded();
    }
    guard.requireAlive();
    return switch (name) {
      case "close", "commit", "abort" -> throw guard.refuseEnding(name + "()");
      case "rollback" -> rollback(method, args);
      case "setAutoCommit" -> setAutoCommit(args);
      default -> {
        if (changesSession(name)) {
          throw TransactionGuard.refuse(
              name
                  + "() is refused inside an event's transaction: it would outlive the transaction"
                  + " on a pooled connection; use "
                  + guard.insteadOfLasting()
                  + ", or JdbcInbox.builder(...).isolation(...)");
        }
        yield lend(method, args);
      }
    };
  }

  private @Nullable Object rollback(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (args == null || args.length == 0) {
      throw guard.refuseEnding("rollback()");
    }
    Object result = call(method, args);
    guard.mended();
    return result;
  }

  private @Nullable Object setAutoCommit(@Nullable Object @Nullable [] args) throws SQLException {
    if (args != null && Boolean.TRUE.equals(args[0])) {
      throw guard.refuseEnding("setAutoCommit(true)");
    }
    return null;
  }

  private @Nullable Object lend(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    TransactionControl control = TransactionControl.NONE;
    if (method.getName().startsWith("prepare") && args != null && args[0] instanceof String sql) {
      control = guard.inspect(sql);
    }
    Object result = call(method, args);
    return result instanceof Statement statement
        ? Wrapping.statement(guard, statement, control)
        : Wrapping.result(guard, result, null);
  }

  private static boolean changesSession(String name) {
    return (name.startsWith("set") && !name.equals("setSavepoint"))
        || name.equals("beginRequest")
        || name.equals("endRequest");
  }
}
