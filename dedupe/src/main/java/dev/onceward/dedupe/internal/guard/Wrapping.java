package dev.onceward.dedupe.internal.guard;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Makes the proxies of whatever leads back to the raw connection. */
final class Wrapping {
  private Wrapping() {}

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  static Statement statement(TransactionGuard guard, Statement raw, TransactionControl control) {
    guard.opened(raw);
    GuardedStatement handler = new GuardedStatement(guard, raw, control);
    if (raw instanceof CallableStatement) {
      return proxy(CallableStatement.class, handler);
    }
    return raw instanceof PreparedStatement
        ? proxy(PreparedStatement.class, handler)
        : proxy(Statement.class, handler);
  }

  /** A result of a call on a guarded object; {@code statement} is the proxy it came from. */
  static @Nullable Object result(
      TransactionGuard guard, @Nullable Object result, @Nullable Statement statement) {
    if (result instanceof ResultSet) {
      return proxy(ResultSet.class, new GuardedResult(guard, result, statement));
    }
    if (result instanceof DatabaseMetaData) {
      return proxy(DatabaseMetaData.class, new GuardedResult(guard, result, null));
    }
    return result;
  }
}
