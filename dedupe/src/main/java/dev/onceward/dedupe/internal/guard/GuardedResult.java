package dev.onceward.dedupe.internal.guard;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A result set, metadata or a driver's interface: nothing to refuse, nothing raw to leak. */
final class GuardedResult extends GuardedObject {
  private final Object target;
  private final @Nullable Statement statement;

  /** {@code statement} is the guarded statement it came from, if any. */
  GuardedResult(TransactionGuard guard, Object target, @Nullable Statement statement) {
    super(guard, target);
    this.target = target;
    this.statement = statement;
  }

  @Override
  @Nullable Object intercept(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (guard.isEnded() && target instanceof ResultSet) { // the guard has closed it
      if (name.equals("isClosed")) {
        return true;
      }
      if (name.equals("close")) {
        return null;
      }
    }
    if (target instanceof Connection && name.startsWith("set")) {
      throw TransactionGuard.refuse(
          name
              + "() of the driver's connection is refused inside an event's transaction: it would"
              + " outlive the transaction on a pooled connection; use the data source's URL, or the"
              + " statement's own settings");
    }
    return switch (name) {
      case "getConnection" -> {
        guard.requireAlive();
        yield guard.connection();
      }
      case "getStatement" -> statement(method, args);
      default -> Wrapping.result(guard, call(method, args), statement);
    };
  }

  private @Nullable Object statement(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (statement != null) {
      guard.requireAlive();
      return statement;
    }
    return call(method, args) instanceof Statement raw
        ? Wrapping.statement(guard, raw, TransactionControl.NONE)
        : null;
  }
}
