package dev.onceward.dedupe.internal.guard;

import java.lang.reflect.Method;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A statement that leads back to the guarded connection and shows its text before it is sent. */
final class GuardedStatement extends GuardedObject {
  private final Statement raw;
  private final TransactionControl prepared;

  /** {@code prepared} is what the text given to prepareStatement does. */
  GuardedStatement(TransactionGuard guard, Statement raw, TransactionControl prepared) {
    super(guard, raw);
    this.raw = raw;
    this.prepared = prepared;
  }

  @Override
  @Nullable Object intercept(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (name.startsWith("execute") || name.equals("addBatch")) {
      return send(proxy, method, args);
    }
    return switch (name) {
      case "getConnection" -> {
        guard.requireAlive();
        yield guard.connection();
      }
      case "isClosed" -> guard.isEnded() || raw.isClosed();
      case "close" -> close();
      default -> Wrapping.result(guard, call(method, args), (Statement) proxy);
    };
  }

  private @Nullable Object send(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    guard.requireAlive();
    TransactionControl control =
        args != null && args.length > 0 && args[0] instanceof String sql
            ? guard.inspect(sql)
            : prepared;
    Object result = call(method, args);
    if (control.toSavepoint()) {
      guard.mended();
    }
    return Wrapping.result(guard, result, (Statement) proxy);
  }

  private @Nullable Object close() throws SQLException {
    guard.closed(raw);
    if (!guard.isEnded()) { // else the guard has closed it
      raw.close();
    }
    return null;
  }
}
