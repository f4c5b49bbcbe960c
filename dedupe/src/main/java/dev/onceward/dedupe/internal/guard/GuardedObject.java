package dev.onceward.dedupe.internal.guard;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Wrapper;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What all guarded objects have in common: identity, unwrapping, remembering errors. */
abstract class GuardedObject implements InvocationHandler {
  final TransactionGuard guard;
  private final Object target;

  GuardedObject(TransactionGuard guard, Object target) {
    this.guard = guard;
    this.target = target;
  }

  @Override
  public final @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return switch (method.getName()) {
        case "equals" -> args != null && proxy == args[0];
        case "hashCode" -> System.identityHashCode(proxy);
        default -> "guarded " + target;
      };
    }
    try {
      return invokeGuarded(proxy, method, args);
    } catch (SQLException e) {
      throw declared(method, e);
    }
  }

  private @Nullable Object invokeGuarded(
      Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    if (method.getDeclaringClass() == Wrapper.class && args != null && args[0] != null) {
      Class<?> type = (Class<?>) args[0];
      return method.getName().equals("unwrap") ? unwrap(proxy, type) : canUnwrap(proxy, type);
    }
    return intercept(proxy, method, args);
  }

  /** The refusal as a type that the method may throw: a proxy would hide any other. */
  private static Exception declared(Method method, SQLException refusal) {
    for (Class<?> type : method.getExceptionTypes()) {
      if (type.isInstance(refusal)) {
        return refusal;
      }
      if (type == SQLClientInfoException.class) {
        return new SQLClientInfoException(
            refusal.getMessage(), refusal.getSQLState(), Map.of(), refusal);
      }
    }
    return new IllegalStateException(refusal.getMessage(), refusal);
  }

  abstract @Nullable Object intercept(
      Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable;

  /** Calls the real object. */
  final @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    guard.requireAlive();
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      Throwable failure = e.getTargetException();
      if (failure instanceof SQLException sql) {
        guard.failed(sql);
      }
      throw failure;
    }
  }

  /**
   * Lends a driver's own interface, such as PGConnection for its copy API, through a guard too.
   * Interfaces that extend the JDBC ones would bring back commit() and rollback(): refused.
   */
  private Object unwrap(Object proxy, Class<?> type) throws SQLException {
    if (type.isInstance(proxy)) {
      return proxy;
    }
    guard.requireAlive();
    if (!canUnwrap(proxy, type)) {
      throw TransactionGuard.refuse(
          "cannot unwrap "
              + type.getName()
              + " inside an event's transaction; ask for an interface of the driver that does not"
              + " extend java.sql, such as org.postgresql.PGConnection");
    }
    return Wrapping.proxy(type, new GuardedResult(guard, ((Wrapper) target).unwrap(type), null));
  }

  private boolean canUnwrap(Object proxy, Class<?> type) throws SQLException {
    return type.isInstance(proxy)
        || (type.isInterface()
            && !Wrapper.class.isAssignableFrom(type)
            && target instanceof Wrapper wrapper
            && wrapper.isWrapperFor(type));
  }
}
