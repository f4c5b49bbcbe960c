package dev.onceward.dedupe;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Real connections with one thing changed. */
final class Connections {
  private Connections() {}

  /** Remembers the raw statements it made. */
  static Connection recording(Connection raw, List<Statement> statements) {
    return proxy(
        (method, args) -> {
          Object result = method.invoke(raw, args);
          if (result instanceof Statement statement) {
            statements.add(statement);
          }
          return result;
        });
  }

  /** Stays open when closed, as if a pool had taken it back. */
  static Connection uncloseable(Connection raw) {
    return proxy(
        (method, args) -> method.getName().equals("close") ? null : method.invoke(raw, args));
  }

  /** Runs something after each commit. */
  static Connection afterCommit(Connection raw, Action action) {
    return proxy(
        (method, args) -> {
          Object result = method.invoke(raw, args);
          if (method.getName().equals("commit")) {
            action.run();
          }
          return result;
        });
  }

  /** Runs something before each commit. */
  static Connection beforeCommit(Connection raw, Action action) {
    return proxy(
        (method, args) -> {
          if (method.getName().equals("commit")) {
            action.run();
          }
          return method.invoke(raw, args);
        });
  }

  /** Answers one method with something else. */
  static <T> T answering(Class<T> type, T raw, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            Connections.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, args) -> {
              try {
                return called.getName().equals(method) ? answer : called.invoke(raw, args);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            }));
  }

  private static Connection proxy(Call call) {
    return (Connection)
        Proxy.newProxyInstance(
            Connections.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              try {
                return call.on(method, args);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  interface Action {
    void run() throws Exception;
  }

  private interface Call {
    @Nullable Object on(Method method, @Nullable Object @Nullable [] args) throws Exception;
  }
}
